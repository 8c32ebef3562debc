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

test('two quick taps do not zoom', () =>
  onBoard(MY_MOVE, async ({ page }) => {
    const tap = await page.locator('body').evaluate((node) => getComputedStyle(node).touchAction);
    assert.equal(tap, 'manipulation');
  }, DEVICES[0].options));
