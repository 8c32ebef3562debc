// The stage of the tests against the scripted server: a few positions, a page that shows one, and what can be seen on it.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { launch, square, until, visit } from './browser.mjs';
import { ScriptedServer } from './scripted.mjs';

export const AFTER_E4 = 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1';
export const AFTER_E5 = 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2';
export const E4 = { uci: 'e2e4', san: 'e4', fen: AFTER_E4 };
export const E5 = { uci: 'e7e5', san: 'e5', fen: AFTER_E5 };
export const KNIGHT_MOVES = {
  dests: { g1: ['f3', 'h3'] },
  legal: [{ uci: 'g1f3', san: 'Nf3' }, { uci: 'g1h3', san: 'Nh3' }],
};
export const WAITING = { view: { moves: [E4], fen: AFTER_E4, turn: 'black', dests: {}, legal: [] } };
export const G1F3 = '/api/board/game/game0001/move/g1f3';
export const MY_MOVE = { view: { moves: [E4, E5], fen: AFTER_E5, turn: 'white', ...KNIGHT_MOVES } };

/** The bot is to move, and the position is of no interest. */
export const KNIGHT_PLAYED = {
  view: { moves: [E4, E5, { uci: 'g1h3', san: 'Nh3', fen: AFTER_E5 }], turn: 'black', dests: {}, legal: [] },
};

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** A visitor of any page; `onBoard` is for games. */
export const visitor = (url, options) => visit(browser, url, options);

/** Run `play` on a page that shows the scripted game, and check that the page had nothing to complain about. */
export async function onBoard(game, play, options = {}) {
  const server = new ScriptedServer(game);
  const url = await server.start();
  const visitor = await visit(browser, `${url}#/game/game0001`, options);
  try {
    await visitor.page.waitForSelector('cg-board piece');
    await play({ ...visitor, server, url });
    assert.deepEqual(visitor.complaints, []);
  } finally {
    await visitor.context.close();
    await server.stop();
  }
}

export const askedFor = (server, part) =>
  until(() => server.asked, (asked) => asked.some((line) => line.includes(part)), `no request for ${part}`);
export const movesAsked = (server) => server.asked.filter((line) => line.includes('/move/'));
/** The squares that wear a mark: `last-move`, `check`, `current-premove`. The board hides marks it no longer needs. */
export const marked = (page, mark) =>
  page.locator(`square.${mark}:visible`).evaluateAll((all) => all.map((node) => node.cgKey).sort());
export const untilMarked = (page, mark, ...keys) =>
  until(() => marked(page, mark), (found) => found.join() === keys.join(), `${mark} on ${keys}`);
export const pieceAt = async (page, key) => {
  const { x, y } = await square(page, key);
  return page.evaluate(([left, top]) => {
    const pieces = [...document.querySelectorAll('cg-board piece:not(.ghost)')];
    const hit = pieces.find((piece) => {
      const box = piece.getBoundingClientRect();
      return left > box.left && left < box.right && top > box.top && top < box.bottom;
    });
    return hit?.className.replace(/ (anim|dragging)/g, '') ?? '';
  }, [x, y]);
};
/** Pieces slide where they go, 160 ms or so: what moved just now is waited for. */
export const untilPieceAt = (page, key, piece) =>
  until(() => pieceAt(page, key), (found) => found === piece, `${piece} on ${key}`);
