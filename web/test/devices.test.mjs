// Phones and tablets, upright and sideways: all that a game needs is in sight, and large enough for a finger.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, shoot, tapSquares } from './browser.mjs';
import { MY_MOVE, askedFor, onBoard, visitor } from './scene.mjs';
import { ScriptedServer } from './scripted.mjs';

/** Smaller targets are missed. Moves in the list are words of a text, and have the height alone. */
const FINGER = 44;

async function assertFingersFit(page) {
  const controls = page.locator('button:visible, a:visible, input[type=text]:visible, label.tile:visible');
  const small = await controls.evaluateAll((all, least) =>
    all
      .map((node) => ({ box: node.getBoundingClientRect(), node }))
      .filter(({ box, node }) => box.height < least - 0.5 || (box.width < least - 0.5 && !node.closest('.move-list')))
      .map(({ box, node }) => `${node.outerHTML.slice(0, 90)}: ${box.width} x ${box.height}`), FINGER);
  assert.deepEqual(small, []);
}

async function assertInSight(page, ...parts) {
  const { width, height } = page.viewportSize();
  for (const part of parts) {
    const box = await page.locator(part).boundingBox();
    const inside = box.x >= 0 && box.y >= 0 && box.x + box.width <= width + 0.5 && box.y + box.height <= height + 0.5;
    assert.ok(inside, `${part} is in sight without scrolling: ${JSON.stringify(box)}`);
  }
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing sticks out to the side');
}

const finger = { hasTouch: true, isMobile: true };
const DEVICES = [
  { name: 'phone upright', options: { ...finger, viewport: { width: 360, height: 640 } }, board: 360 },
  { name: 'phone sideways', options: { ...finger, viewport: { width: 640, height: 360 } }, board: 344 },
  { name: 'tablet upright', options: { ...finger, viewport: { width: 768, height: 1024 } }, board: 560 },
  { name: 'tablet sideways', options: { ...finger, viewport: { width: 1024, height: 768 } }, board: 560 },
];

for (const { name, options, board } of DEVICES) {
  test(`a game on a ${name}`, () =>
    onBoard(MY_MOVE, async ({ page, server }) => {
      const buttons = ['Takeback', 'Draw', 'Resign'].map((label) => `.action:has-text("${label}")`);
      await assertInSight(page, '.bar.above .clock', '.bar.below .clock', '.board', ...buttons);
      const { width, height } = await page.locator('cg-board').boundingBox();
      assert.ok(width >= board && width === height, `a board of ${width} x ${height}`);
      await assertFingersFit(page);
      await assertAccessible(page);
      await shoot(page, name.replace(' ', '-'));
      await tapSquares(page, 'g1', 'f3');
      await askedFor(server, '/move/g1f3');
      server.tell({ state: { status: 'resign', winner: 'white' } });
      await page.getByRole('button', { name: 'Rematch' }).waitFor();
      await assertFingersFit(page);
    }, options));
}

test('the lobby on a phone', async () => {
  const server = new ScriptedServer();
  const { page, context, complaints } = await visitor(await server.start(), DEVICES[0].options);
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  await assertInSight(page, '.play');
  await assertFingersFit(page);
  await assertAccessible(page);
  assert.deepEqual(complaints, []);
  await context.close();
  await server.stop();
});

test('a phone held sideways hides the header, and the keyboard and the side column lead to what it has', () =>
  onBoard(MY_MOVE, async ({ page }) => {
    const bottom = async () => { const { y, height } = await page.locator('header').boundingBox(); return y + height; };
    assert.ok(await bottom() <= 0, 'the board has the room');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.closest('header') !== null), true);
    assert.ok(await bottom() > 40, 'what has the focus can be seen');
    const lobby = page.locator('.side').getByRole('button', { name: 'To the lobby' });
    await page.locator('.side').getByRole('button', { name: 'Settings and keys' }).click();
    await page.keyboard.press('Escape');
    await lobby.scrollIntoViewIfNeeded();
    await shoot(page, 'phone-sideways-683x384');
    await lobby.click();
    await page.getByRole('heading', { name: 'Play a game' }).waitFor();
    assert.ok(await bottom() > 40, 'the lobby has room for it');
  }, { viewport: { width: 683, height: 384 } }));

test('a phone shows the terms of a game below the cards, and the level of the opponent in full', async () => {
  const server = new ScriptedServer(MY_MOVE);
  const title = 'Somebody with a name that is much too long for a phone';
  const cards = Array.from({ length: 15 }, (_, i) => ({ name: `p${i}`, title: `Number ${i}`, about: 'Plays.', level: 700 + 100 * i }));
  server.lobby = { ...server.lobby, personalities: [...cards, { name: 'club', title, about: 'Plays.', level: 2250 }] };
  const url = await server.start();
  const { page, context, complaints } = await visitor(url, DEVICES[0].options);
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  const { y } = await page.locator('.strength').boundingBox();
  assert.ok(y < 640, `strength is at ${y}`);
  await assertInSight(page, '.opponents .tile:has(input:checked)');
  await assertFingersFit(page);
  await assertAccessible(page);
  await shoot(page, 'lobby-360x640');
  await page.setViewportSize({ width: 1280, height: 500 });
  await page.reload();
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  assert.equal(await page.evaluate(() => scrollY), 0, 'the page begins at its top, wherever the chosen card is');
  await page.setViewportSize(DEVICES[0].options.viewport);
  await page.goto(`${url}#/game/game0001`);
  await page.locator('.bar.above .who', { hasText: '2250' }).waitFor();
  await assertInSight(page, '.bar.above .who span:last-child', '.bar.above .clock');
  const [level, clock] = await Promise.all(['.who span:last-child', '.clock'].map((part) => page.locator(`.bar.above ${part}`).boundingBox()));
  assert.ok(level.width > 20 && level.x + level.width <= clock.x, 'the level is there, and nothing lies over it');
  await shoot(page, 'bar-360x640');
  assert.deepEqual(complaints, []);
  await context.close();
  await server.stop();
});

test('two quick taps do not zoom', () =>
  onBoard(MY_MOVE, async ({ page }) => {
    const tap = await page.locator('body').evaluate((node) => getComputedStyle(node).touchAction);
    assert.equal(tap, 'manipulation');
  }, DEVICES[0].options));
