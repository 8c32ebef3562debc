// How quick the page is. Each figure is the best of a few tries: a busy machine only ever adds to it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clickSquares, drag, until } from './browser.mjs';
import { AFTER_E5, E4, E5, MY_MOVE, WAITING, movesAsked, onBoard, untilMarked, untilPieceAt, visitor } from './scene.mjs';
import { ScriptedServer } from './scripted.mjs';
import { ScriptedDaemon, board } from './scripted-dashboard.mjs';
import { ScriptedEditor } from './scripted-editor.mjs';

const TRIES = 10;

/** Measure until the bar is met, and report the best figure. */
async function meets(t, what, bar, measure) {
  let best = Infinity;
  for (let i = 0; i < TRIES && best >= bar; i += 1) best = Math.min(best, await measure(i));
  t.diagnostic(`${what}: ${Math.round(best)} ms, bar ${bar} ms`);
  assert.ok(best < bar, `${what}: ${Math.round(best)} ms, bar ${bar} ms`);
}

/** The first paint of a page, and when `isUsable` held for the first time in it. */
async function meetsAsPage(t, server, isUsable) {
  const { page, context } = await visitor(await server.start());
  const watch = (isUsable) => {
    if (isUsable()) globalThis.usableAt = performance.now();
    else requestAnimationFrame(() => watch(isUsable));
  };
  await page.addInitScript({ content: `const watch = ${watch}; watch(${isUsable});` });
  const figures = async () => {
    await page.reload();
    return page.waitForFunction(() => {
      const paint = performance.getEntriesByName('first-contentful-paint')[0];
      return paint && globalThis.usableAt && { paint: paint.startTime, usable: globalThis.usableAt };
    }).then((found) => found.jsonValue());
  };
  await meets(t, 'first paint', 300, async () => (await figures()).paint);
  await meets(t, 'ready to be used', 1_000, async () => (await figures()).usable);
  await context.close();
  await server.stop();
}

test('the lobby paints within 300 ms and can be used within a second', (t) =>
  meetsAsPage(t, new ScriptedServer(), () => document.querySelector('.play')?.disabled === false));

test('the dashboard paints within 300 ms, and shows sixteen boards and its buttons within a second', (t) => {
  const daemon = new ScriptedDaemon();
  daemon.boards = Array.from({ length: 16 }, (_, i) => board(`game00${i + 10}`));
  return meetsAsPage(t, daemon, () =>
    document.querySelectorAll('.live piece').length === 16 * 32 && document.querySelector('.health')?.textContent === 'All is well');
});

test('the editing page paints within 300 ms, and has judged its text within a second', (t) =>
  meetsAsPage(t, new ScriptedEditor(), () => document.querySelector('.verdict')?.textContent === 'In order.'));

test('an own move shows on the board within 50 ms', (t) =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    const fen = 'rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2';
    const moves = [E4, E5, { uci: 'g1f3', san: 'Nf3', fen }];
    await page.evaluate(() => {
      const stands = (key) => [...document.querySelectorAll('cg-board piece')].some((piece) => piece.cgKey === key);
      addEventListener('pointerdown', ({ timeStamp }) => {
        const look = () => {
          if (stands('f3')) globalThis.echo = performance.now() - timeStamp;
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }, true);
    });
    await meets(t, 'own move to board', 50, async () => {
      await clickSquares(page, 'g1', 'f3');
      const echo = await page.waitForFunction(() => globalThis.echo);
      const figure = await echo.jsonValue();
      // Take it back for the next try.
      server.tell({ view: { moves, fen, turn: 'black', dests: {}, legal: [] } });
      await page.getByRole('button', { name: 'Nf3' }).waitFor();
      server.tell(MY_MOVE);
      await untilPieceAt(page, 'g1', 'white knight');
      await page.evaluate(() => delete globalThis.echo);
      return figure;
    });
  }));

test('a premove leaves within 80 ms of the bot’s move', (t) =>
  onBoard(WAITING, async ({ page, server }) => {
    await meets(t, 'premove after the bot’s move', 80, async (round) => {
      await drag(page, 'g1', 'f3');
      await untilMarked(page, 'current-premove', 'f3', 'g1');
      const told = performance.now();
      server.tell(MY_MOVE);
      await until(() => movesAsked(server).length, (count) => count > round, 'the premove arrives');
      const figure = server.lastAskedAt - told;
      const fen = AFTER_E5.replace(' w ', ' b ');
      server.tell({ view: { moves: [E4, E5, { uci: 'g1f3', san: 'Nf3', fen }], fen, turn: 'black', dests: {}, legal: [] } });
      await page.getByRole('button', { name: 'Nf3' }).waitFor();
      server.tell(WAITING);
      await page.getByRole('button', { name: 'Nf3' }).waitFor({ state: 'detached' });
      return figure;
    });
  }));
