// Premoves: one at a time, played at once when legal, gone when it cannot be or is not wanted any more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clickSquares, drag, square, until } from './browser.mjs';
import { AFTER_E5, KNIGHT_MOVES, MY_MOVE, WAITING, askedFor, movesAsked, onBoard, pieceAt, untilMarked, untilPieceAt } from './scene.mjs';
import { START } from './scripted.mjs';

const prepareKnight = async (page) => {
  await drag(page, 'g1', 'f3');
  await untilMarked(page, 'current-premove', 'f3', 'g1');
};

test('a premove is played the moment it is legal', () =>
  onBoard(WAITING, async ({ page, server }) => {
    await prepareKnight(page);
    assert.deepEqual(movesAsked(server), []);
    server.tell(MY_MOVE);
    await askedFor(server, '/move/g1f3');
    await untilMarked(page, 'current-premove');
  }));

test('a premove that turned out illegal is forgotten', () =>
  onBoard(WAITING, async ({ page, server }) => {
    await clickSquares(page, 'f1', 'c4');
    await untilMarked(page, 'current-premove', 'c4', 'f1');
    server.tell(MY_MOVE);
    await untilMarked(page, 'current-premove');
    assert.equal(await pieceAt(page, 'f1'), 'white bishop');
    await page.fill('.entry input', 'Nf3');
    await page.keyboard.press('Enter');
    await askedFor(server, '/move/g1f3');
    assert.deepEqual(movesAsked(server).length, 1);
  }));

test('a premove of a piece that was captured meanwhile is forgotten', () =>
  onBoard(WAITING, async ({ page, server }) => {
    await prepareKnight(page);
    const fen = AFTER_E5.replace('RNBQKBNR', 'RNBQKBnR');
    server.tell({ view: { ...MY_MOVE.view, fen, dests: { h1: ['g1'] }, legal: [{ uci: 'h1g1', san: 'Rxg1' }] } });
    await untilMarked(page, 'current-premove');
    await untilPieceAt(page, 'g1', 'black knight');
    await clickSquares(page, 'h1', 'g1');
    await askedFor(server, '/move/h1g1');
    assert.equal(movesAsked(server).length, 1);
  }));

test('a later premove replaces an earlier one', () =>
  onBoard(WAITING, async ({ page, server }) => {
    await prepareKnight(page);
    await drag(page, 'g1', 'h3');
    await untilMarked(page, 'current-premove', 'g1', 'h3');
    server.tell(MY_MOVE);
    await askedFor(server, '/move/g1h3');
    assert.equal(movesAsked(server).length, 1);
  }));

for (const [how, button, where] of [['a click elsewhere', 'left', 'e5'], ['a right click', 'right', 'f3']]) {
  test(`${how} takes a premove back`, () =>
    onBoard(WAITING, async ({ page, server }) => {
      await prepareKnight(page);
      const { x, y } = await square(page, where);
      await page.mouse.click(x, y, { button });
      await untilMarked(page, 'current-premove');
      server.tell(MY_MOVE);
      await until(() => page.title(), (title) => title.startsWith('Your turn'), 'it is our turn');
      assert.deepEqual(movesAsked(server), []);
    }));
}

test('a premoved promotion makes a queen without a question', () => {
  const before = '7k/P7/8/8/8/8/8/K7 b - - 0 1';
  const after = '6k1/P7/8/8/8/8/8/K7 w - - 1 2';
  const king = { uci: 'h8g8', san: 'Kg8', fen: after };
  const legal = ['q', 'n', 'r', 'b'].map((role) => ({ uci: `a7a8${role}`, san: `a8=${role.toUpperCase()}` }));
  const start = { initialFen: before, fen: before, turn: 'black', dests: {}, legal: [], moves: [] };
  return onBoard({ full: { initialFen: before }, view: start }, async ({ page, server }) => {
    await clickSquares(page, 'a7', 'a8');
    await untilMarked(page, 'current-premove', 'a7', 'a8');
    server.tell({ view: { moves: [king], fen: after, turn: 'white', dests: { a7: ['a8'] }, legal } });
    await askedFor(server, '/move/a7a8q');
    assert.equal(await page.locator('.promotion').count(), 0);
  });
});

test('a takeback during a premove leaves a board that can be played on', () =>
  onBoard(WAITING, async ({ page, server }) => {
    await prepareKnight(page);
    const legal = [{ uci: 'e2e4', san: 'e4' }];
    server.tell({ view: { moves: [], fen: START, turn: 'white', dests: { e2: ['e4'] }, legal } });
    await untilMarked(page, 'current-premove');
    await clickSquares(page, 'e2', 'e4');
    await askedFor(server, '/move/e2e4');
  }));

test('a premove that a takeback leaves legal is forgotten too: it was meant for later', () =>
  onBoard(WAITING, async ({ page, server }) => {
    await prepareKnight(page);
    server.tell({ view: { moves: [], fen: START, turn: 'white', ...KNIGHT_MOVES } });
    await untilMarked(page, 'current-premove');
    await until(() => page.title(), (title) => title.startsWith('Your turn'), 'it is our turn');
    assert.deepEqual(movesAsked(server), []);
    await clickSquares(page, 'g1', 'h3');
    await askedFor(server, '/move/g1h3');
    server.tell({ view: { ...WAITING.view, moves: [{ uci: 'g1h3', san: 'Nh3', fen: WAITING.view.fen }] } });
    await prepareKnight(page);
    server.tell(MY_MOVE);
    await askedFor(server, '/move/g1f3');
  }));
