// Games of variants in the browser against the real program.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible, clickSquares, launch, shoot, until, visit } from './browser.mjs';
import { untilPieceAt } from './scene.mjs';
import { startSparring } from './sparring.mjs';

let browser;
let sparring;
before(async () => {
  sparring = await startSparring();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await sparring?.stop();
});

/** The bot takes its time as people do: never more than a quarter of its clock, which is 45 s of three minutes. */
const PATIENCE_MS = 60_000;
const label = (page, text) => page.locator('.tiles label', { hasText: text });
const untilPlies = (page, count) =>
  until(() => page.locator('.move-list button').count(), (found) => found >= count, `${count} moves are played`, PATIENCE_MS);

/** A call of the server in the name of the page's guest. */
const call = (page, path, form) => page.evaluate(async ([where, fields]) => {
  const { token } = JSON.parse(localStorage.getItem('sparring.guest'));
  const headers = { Authorization: `Bearer ${token}`, 'x-sandbox-key': sessionStorage.getItem('sparring.key') ?? '' };
  const init = fields ? { method: 'POST', headers, body: new URLSearchParams(fields) } : { headers };
  return (await fetch(where, init)).json();
}, [path, form]);

const gameId = (page) => page.url().split('/').pop();
const viewOf = (page) => call(page, `/sandbox/game/${gameId(page)}/view`);

/** A visitor in a game from a position, as White. */
async function game(variant, fen, play) {
  const { page, context, complaints } = await visit(browser, sparring.url, { expected: /status of 404/ });
  await until(() => page.getByRole('button', { name: 'Play' }).isEnabled(), Boolean, 'the bot is there');
  const form = { variant, fen, color: 'white', rated: 'false', 'clock.limit': '180', 'clock.increment': '2' };
  const { id } = await call(page, '/api/challenge/Sparring', form);
  assert.ok(id, `${variant} can be played from ${fen}`);
  await until(() => call(page, `/sandbox/game/${id}/view`).catch(() => ({})), ({ status }) => status === 'started', 'the bot accepts');
  await page.evaluate((to) => (location.hash = `#/game/${to}`), id);
  await page.waitForSelector('cg-board piece');
  await play(page);
  assert.deepEqual(complaints, []);
  await context.close();
}

test('crazyhouse from the lobby on a phone, and the same again with colours swapped', async () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const { page, context, complaints } = await visit(browser, sparring.url, phone);
  await label(page, 'Crazyhouse').click();
  await label(page, 'White').click();
  await label(page, '3+2').click();
  await shoot(page, 'lobby-variants-390x844');
  await page.reload();
  await page.getByText(/· Crazyhouse$/).waitFor();
  const play = page.getByRole('button', { name: 'Play' });
  await until(() => play.isEnabled(), Boolean, 'the bot is there');
  await play.click();
  await page.waitForSelector('cg-board piece');
  await page.locator('.pocket.below').waitFor();
  await clickSquares(page, 'e2', 'e4');
  await untilPlies(page, 2);
  assert.equal((await viewOf(page)).variant, 'crazyhouse');
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('button', { name: 'Sure?' }).click();
  await page.getByRole('button', { name: 'Rematch' }).click();
  await page.waitForSelector('.orientation-black cg-board piece');
  await page.locator('.pocket.below').waitFor();
  assert.equal((await viewOf(page)).variant, 'crazyhouse');
  assert.deepEqual(complaints, []);
  await context.close();
});

test('crazyhouse: a pawn in hand is dropped, and the bot answers', () =>
  game('crazyhouse', 'rnbqkbnr/pppp1ppp/8/8/8/8/PPPP1PPP/RNBQKBNR[Pp] w KQkq - 0 3', async (page) => {
    await page.locator('.pocket.below').getByRole('button', { name: '1 pawn' }).click();
    await shoot(page, 'crazyhouse-1280x800');
    await clickSquares(page, 'e4');
    await untilPieceAt(page, 'e4', 'white pawn');
    await page.getByRole('button', { name: '@e4', exact: true }).waitFor();
    await page.locator('.pocket.below').getByRole('button', { name: '0 pawns' }).waitFor();
    await untilPlies(page, 2);
    assert.equal((await viewOf(page)).moves[0].uci, 'P@e4');
    await assertAccessible(page);
  }));

test('three-check: the third check wins', () =>
  game('threeCheck', '4k3/8/8/8/8/8/7R/4K3 w - - 1+3 0 1', async (page) => {
    await page.locator('.bar.below').getByText('1 check left').waitFor();
    await shoot(page, 'three-check-1280x800');
    await clickSquares(page, 'h2', 'h8');
    await page.getByRole('heading', { name: 'You won' }).waitFor();
    await page.locator('.result').getByText(/three checks/).waitFor();
    await page.locator('.bar.below').getByText('0 checks left').waitFor();
    await assertAccessible(page);
    await shoot(page, 'three-check-end-1280x800');
  }));

test('antichess: a capture is forced, and a pawn becomes a king', () =>
  game('antichess', '8/1P6/8/8/8/2p5/1P5p/8 w - - 0 1', async (page) => {
    await clickSquares(page, 'b7', 'b8');
    await page.getByText('A capture is due.').waitFor({ state: 'attached' });
    await clickSquares(page, 'b2', 'c3');
    await untilPlies(page, 2);
    await until(async () => (await viewOf(page)).turn, (turn) => turn === 'white', 'it is our turn', PATIENCE_MS);
    await clickSquares(page, 'b7', 'b8');
    await page.getByRole('dialog', { name: 'Promote to' }).waitFor();
    await shoot(page, 'antichess-promotion-1280x800');
    await page.getByRole('dialog').getByRole('button', { name: 'king' }).click();
    await until(async () => (await viewOf(page)).moves.map(({ uci }) => uci), (moves) => moves.includes('b7b8k'), 'the king is there');
  }));

test('atomic: a capture takes all pieces around it off the board, but no pawn', () =>
  game('atomic', 'rnbqkb1r/ppp1pppp/5n2/3p4/4P3/2N5/PPPP1PPP/R1BQKBNR w KQkq - 0 3', async (page) => {
    await clickSquares(page, 'e4', 'd5');
    await page.getByRole('button', { name: 'exd5', exact: true }).waitFor();
    for (const key of ['e4', 'd5']) await untilPieceAt(page, key, '');
    await untilPieceAt(page, 'f6', 'black knight');
    await shoot(page, 'atomic-1280x800');
  }));
