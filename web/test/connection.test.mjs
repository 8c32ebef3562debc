// Lines that break, servers that die, laptops that sleep, and two tabs: the game on the screen is always the server's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clickSquares, until } from './browser.mjs';
import {
  AFTER_E5, E4, E5, G1F3, KNIGHT_PLAYED, MY_MOVE, movesAsked, onBoard, untilPieceAt,
} from './scene.mjs';
import { ScriptedServer } from './scripted.mjs';

const LOST = 'Connection lost. Trying again…';
const banner = (page) => page.getByText(LOST);
/** What the browser itself says about a server that does not answer. */
const SILENCE = { expected: /ERR_|Failed to load/ };

const AFTER_NF3 = 'rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2';
const NF3_PLAYED = {
  view: { moves: [E4, E5, { uci: 'g1f3', san: 'Nf3', fen: AFTER_NF3 }], fen: AFTER_NF3, turn: 'black', dests: {}, legal: [] },
};

/** Kill the server, let `meanwhile` happen, and start another one in its place; `play` sees the new one. */
async function restart({ page, server, url }, meanwhile, game, play) {
  await server.stop();
  await meanwhile();
  const again = new ScriptedServer(game);
  await again.start(Number(new URL(url).port));
  try {
    await play(again);
  } finally {
    await page.close();
    await again.stop();
    await server.start(); // What `onBoard` will stop.
  }
}

test('a dead server shows a banner, and its return brings the game up to date', () =>
  onBoard(MY_MOVE, async (stage) => {
    const { page } = stage;
    const place = () => page.locator('cg-board').boundingBox();
    const before = await place();
    const meanwhile = async () => {
      await banner(page).waitFor();
      assert.deepEqual(await place(), before, 'the board stays under the mouse');
    };
    await restart(stage, meanwhile, NF3_PLAYED, async () => {
      await banner(page).waitFor({ state: 'hidden' });
      await untilPieceAt(page, 'f3', 'white knight');
    });
  }, SILENCE));

test('a program that was started anew ends the game on the page, and all that belongs to it', () =>
  onBoard({ ...MY_MOVE, state: { wtime: 20_000 } }, (stage) => {
    const { page } = stage;
    const asked = [];
    return restart(stage, () => banner(page).waitFor(), { full: { id: 'another1' } }, async () => {
      await page.getByText('The program was restarted; its running games are lost.').waitFor();
      assert.equal(await page.title(), 'Sparring');
      await page.clock.install();
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.clock.runFor(5_000);
      await page.getByRole('link', { name: 'To the lobby' }).click();
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
      assert.deepEqual(asked.filter((path) => path.includes('game0001')), [], 'nobody asks for it any more');
      assert.match(await page.title(), /^Play a game/);
    });
  }, SILENCE));

test('a move made while the server was dead arrives once when it is back', () =>
  onBoard(MY_MOVE, (stage) => {
    const { page } = stage;
    const move = () => clickSquares(page, 'g1', 'f3');
    return restart(stage, move, MY_MOVE, async (again) => {
      await until(() => movesAsked(again), (asked) => asked.length > 0, 'the move arrives');
      again.tell(NF3_PLAYED);
      await page.getByRole('button', { name: 'Nf3' }).waitFor();
      await banner(page).waitFor({ state: 'hidden' });
      assert.deepEqual(movesAsked(again), [G1F3]);
      await untilPieceAt(page, 'f3', 'white knight');
    });
  }, SILENCE));

test('a move that met a broken server is sent again until it is taken', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    server.moveTrouble = { status: 502, times: 2 };
    await clickSquares(page, 'g1', 'f3');
    await until(() => movesAsked(server), (asked) => asked.join() === Array(3).fill(G1F3).join(), 'three tries');
    await untilPieceAt(page, 'f3', 'white knight');
  }, { expected: /502/ }));

test('a stream that ends without an end is opened again', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    server.dropStreams();
    server.change(KNIGHT_PLAYED);
    await page.getByRole('button', { name: 'Nh3' }).waitFor();
  }));

test('a network that comes back brings the game up to date within two seconds', () =>
  onBoard(MY_MOVE, async ({ page, server, context }) => {
    await context.setOffline(true);
    server.dropStreams();
    await banner(page).waitFor();
    server.change(KNIGHT_PLAYED);
    const back = performance.now();
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Nh3' }).waitFor();
    await banner(page).waitFor({ state: 'hidden' });
    assert.ok(performance.now() - back < 2_000, `${Math.round(performance.now() - back)} ms`);
  }, SILENCE));

test('a laptop that slept is up to date within two seconds, whatever its timers missed', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    await page.clock.install();
    await page.reload();
    await page.waitForSelector('cg-board piece');
    server.change({ ...KNIGHT_PLAYED, state: { wtime: 123_456 } });
    const back = performance.now();
    await page.clock.fastForward(5 * 60_000);
    await page.getByRole('button', { name: 'Nh3' }).waitFor();
    assert.equal(await page.locator('.bar.below .clock').textContent(), '2:03', 'the server’s time, not ours');
    assert.ok(performance.now() - back < 2_000, `${Math.round(performance.now() - back)} ms`);
  }));

test('a clock whose ticks were held back in a background tab is right at the next one', () =>
  onBoard({ ...MY_MOVE, state: { wtime: 20_000 } }, async ({ page, server }) => {
    await page.clock.install({ time: Date.now() });
    await page.reload();
    await page.waitForSelector('cg-board piece');
    await page.clock.pauseAt(Date.now() + 5_000);
    server.tell({ state: { wtime: 20_000 } });
    const clock = page.locator('.bar.below .clock');
    await until(() => clock.textContent(), (time) => time === '0:20', 'the server’s word, and time stands still');
    // One tick after 12.34 s instead of a hundred and twenty: nothing was counted by ticks, so nothing is lost.
    await page.clock.fastForward(12_340);
    assert.equal(await clock.textContent(), '0:07.6');
  }));

test('two tabs show one game over one stream, and the second goes on when the first closes', () =>
  onBoard(MY_MOVE, async ({ page, server, context, url }) => {
    const second = await context.newPage();
    await second.goto(`${url}#/game/game0001`);
    await second.getByRole('button', { name: 'e5', exact: true }).waitFor();
    server.tell(KNIGHT_PLAYED);
    for (const tab of [page, second]) await tab.getByRole('button', { name: 'Nh3' }).waitFor();
    assert.equal(await banner(second).isVisible(), false);
    // Nobody is told of the answer, and it is there before the first tab goes: only a stream that is opened anew shows it.
    const answer = { uci: 'b8c6', san: 'Nc6', fen: AFTER_E5 };
    server.change({ view: { moves: [...KNIGHT_PLAYED.view.moves, answer], turn: 'white' } });
    await page.close();
    await second.getByRole('button', { name: 'Nc6' }).waitFor();
  }));
