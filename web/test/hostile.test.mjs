// Strangers' text is text: names, chat, titles, reasons, PGN; and the policy of the page forbids the rest.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shoot, until } from './browser.mjs';
import { NASTY } from './nasty.mjs';
import { MY_MOVE, onBoard, visitor } from './scene.mjs';
import { ME, ScriptedServer } from './scripted.mjs';

const noScript = (page) => page.on('dialog', () => assert.fail('a script ran'));
const nothingSticksOut = async (page) =>
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing breaks the layout');

test('names and chat are text, whatever they contain', () => {
  const full = { white: { id: ME, name: NASTY[0], title: null }, black: { id: 'x', name: NASTY[2], title: '<b>' } };
  return onBoard({ ...MY_MOVE, full }, async ({ page, server }) => {
    noScript(page);
    for (const text of NASTY) server.say(text, text);
    await until(() => page.locator('.chat-log p').count(), (count) => count === NASTY.length, 'all lines are there');
    assert.equal(await page.locator('.bar.above strong').textContent(), NASTY[2]);
    assert.deepEqual(await page.locator('.chat-log p span').allTextContents(), NASTY);
    assert.equal(await page.locator('.chat-log :not(p, b, span)').count(), 0, 'no element came with the text');
    assert.equal(await page.locator('main a, main img, main script, main iframe').count(), 0);
    await nothingSticksOut(page);
    await shoot(page, 'hostile');
  });
});

test('personalities, levels and reasons of refusal are text, whatever they contain', async () => {
  const server = new ScriptedServer();
  const personalities = NASTY.map((text, i) => ({ name: `p${i}`, title: text, about: text, level: 1500, books: [text] }));
  server.lobby = { ...server.lobby, personalities, levels: { ...server.lobby.levels, note: NASTY[0] }, default: 'p0' };
  server.challenges = NASTY[1];
  const { page, context, complaints } = await visitor(await server.start());
  noScript(page);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.getByText(`Declined: ${NASTY[1]}`).waitFor();
  assert.deepEqual(await page.locator('.opponents strong').allTextContents(), NASTY);
  assert.equal(await page.locator('main a, main img, main script, main iframe').count(), 0);
  await nothingSticksOut(page);
  assert.deepEqual(complaints, []);
  await context.close();
  await server.stop();
});

test('moves, reasons and refusals of a game are text, whatever they contain', () => {
  const [san, reason] = [NASTY[0], `${NASTY[1]}.`];
  const view = { ...MY_MOVE.view, moves: [{ ...MY_MOVE.view.moves[0], san }], reason, status: 'mate' };
  return onBoard({ view, state: { status: 'mate', winner: 'white' } }, async ({ page }) => {
    noScript(page);
    await page.getByRole('button', { name: san }).waitFor();
    await page.locator('.result').getByText(NASTY[1]).waitFor();
    assert.equal(await page.locator('main img, main script, main iframe').count(), 0);
  });
});

test('the reasons of moves are text, whatever they contain', () => {
  const state = { status: 'resign', winner: 'white' };
  return onBoard({ ...MY_MOVE, state }, async ({ page, server, url }) => {
    noScript(page);
    server.why = {
      leftBook: { ply: 2, by: 'bot', at: NASTY[3], note: NASTY[4], plan: NASTY.map((text) => ({ san: text, chance: 0.1, at: text, note: text, then: [text] })) },
      evaluation: { terms: NASTY, after: [null, { total: 1, own: NASTY.map(() => 9), theirs: NASTY.map(() => 8), named: [0, 1] }] },
      decisions: [{
        ply: 2, san: NASTY[0], from: 'search', note: NASTY[1], tookMillis: 1, clockMillis: 1, depth: 1, nodes: 1,
        book: { at: NASTY[1], note: NASTY[2], moves: NASTY.map((san) => ({ san, chance: 0.1 })) },
        search: { lines: NASTY.map((san) => ({ score: { cp: 1 }, san: [san, san] })), people: null },
      }],
    };
    await page.goto('about:blank');
    await page.goto(`${url}#/game/game0001`);
    await page.getByRole('heading', { name: `Why 1… ${NASTY[0]}` }).waitFor();
    await page.locator('.why summary').click();
    assert.deepEqual(await page.locator('.seen-lines span').allTextContents(), [...NASTY.map((san) => `${san} ${san}`), NASTY[0], NASTY[1]]);
    assert.deepEqual(await page.locator('.why tbody th').allTextContents(), NASTY);
    const own = 'h2, div, p, ul, li, span, b, code, meter, strong, small, details, summary, table, thead, tbody, tfoot, tr, th, td';
    assert.equal(await page.locator(`.why :not(${own})`).count(), 0);
    assert.equal(await page.locator('main a, main img, main script, main iframe').count(), 0);
    await nothingSticksOut(page);
  });
});

test('a PGN is copied and saved as it is, under a name of our own', () =>
  onBoard({ ...MY_MOVE, state: { status: 'resign', winner: 'white' } }, async ({ page, server, context, url }) => {
    noScript(page);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(url).origin });
    server.pgn = `${NASTY.slice(0, 9).map((text) => `[White "${text.replaceAll('"', '\\"')}"]`).join('\n')}\n\n1-0\n`;
    await page.getByRole('button', { name: 'Copy PGN' }).click();
    await page.getByText('Copied').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), server.pgn);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save PGN' }).click();
    assert.equal((await saved).suggestedFilename(), 'sparring-game0001.pgn');
  }));

test('an address that is no game leads to the lobby', async () => {
  const server = new ScriptedServer();
  const { page, context, complaints } = await visitor(`${await server.start()}#/game/<img src=x onerror=alert(1)>`);
  noScript(page);
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
  await server.stop();
});
