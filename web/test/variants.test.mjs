// Variants on the board: pockets and drops, checks left, goals, promotion to a king, and how their games end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, clickSquares, drag, shoot, square, tapSquares, until } from './browser.mjs';
import { askedFor, marked, movesAsked, onBoard, untilMarked, untilPieceAt } from './scene.mjs';

const variant = (key) => ({ variant: { key, name: key } });

/** Two knights and a pawn in White's hand, a queen in Black's; White is to move. */
const POCKETS = 'r1bqkb1r/ppp2ppp/2n5/4p3/4P3/8/PPP2PPP/RNBQKB1R[NNPq] w KQkq - 0 6';
const DROPS = {
  initialFen: POCKETS,
  fen: POCKETS,
  turn: 'white',
  dests: { d1: ['d2', 'd8'] },
  legal: [
    { uci: 'd1d2', san: 'Qd2' }, { uci: 'd1d8', san: 'Qxd8+' },
    { uci: 'N@f3', san: 'N@f3' }, { uci: 'N@d5', san: 'N@d5' }, { uci: 'P@d4', san: '@d4' },
  ],
};
const CRAZY = { full: { ...variant('crazyhouse'), initialFen: POCKETS }, view: DROPS };
const DROPPED = 'r1bqkb1r/ppp2ppp/2n5/4p3/4P3/5N2/PPP2PPP/RNBQKB1R[NPq] b KQkq - 1 6';
const AFTER_DROP = {
  view: { ...DROPS, moves: [{ uci: 'N@f3', san: 'N@f3', fen: DROPPED }], fen: DROPPED, turn: 'black', dests: {}, legal: [] },
};

const ours = (page, name) => page.locator('.pocket.below').getByRole('button', { name });
const theirs = (page, name) => page.locator('.pocket.above').getByRole('button', { name });
const middle = async (locator) => {
  const { x, y, width, height } = await locator.boundingBox();
  return { x: x + width / 2, y: y + height / 2 };
};

test('crazyhouse: a piece in hand is dropped by a click on it and one on the board', () =>
  onBoard(CRAZY, async ({ page, server }) => {
    await ours(page, '2 knights').waitFor();
    assert.equal(await theirs(page, '1 queen').isDisabled(), true, 'what the opponent has is only shown');
    assert.equal(await ours(page, '0 queens').isDisabled(), true);
    await assertAccessible(page);
    await ours(page, '2 knights').click();
    await untilMarked(page, 'move-dest', 'd5', 'f3');
    await ours(page, '2 knights').click();
    await until(() => marked(page, 'move-dest'), (found) => found.length === 0, 'the knight is back');
    await ours(page, '2 knights').click();
    await clickSquares(page, 'f3');
    await askedFor(server, '/move/N@f3');
    server.tell(AFTER_DROP);
    await ours(page, '1 knight').waitFor();
    await untilMarked(page, 'last-move', 'f3');
    await untilPieceAt(page, 'f3', 'white knight');
    await page.getByText('knight dropped on f3').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'N@f3', exact: true }).waitFor();
    // Whoever looks back sees the pockets of that time.
    await page.keyboard.press('ArrowLeft');
    await ours(page, '2 knights').waitFor();
    assert.deepEqual(movesAsked(server).length, 1);
  }));

test('crazyhouse: a piece in hand is dropped by drag, and one dropped where it cannot be goes back', () =>
  onBoard(CRAZY, async ({ page, server }) => {
    const dragTo = async (key) => {
      const [from, to] = [await middle(ours(page, '1 pawn')), await square(page, key)];
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y, { steps: 6 });
      await page.mouse.up();
    };
    await dragTo('h3');
    await page.getByText('The pawn cannot be dropped on h3.').waitFor({ state: 'attached' });
    await untilPieceAt(page, 'h3', '');
    await dragTo('d4');
    await askedFor(server, '/move/P@d4');
    assert.equal(movesAsked(server).length, 1);
  }));

test('crazyhouse on a phone: pockets are touched, and a piece in hand gives way to one on the board', () =>
  onBoard(CRAZY, async ({ page, server }) => {
    await ours(page, '2 knights').tap();
    await tapSquares(page, 'd1', 'd2');
    await askedFor(server, '/move/d1d2');
    await shoot(page, 'crazyhouse-390x844');
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.equal(wide, 0, 'nothing sticks out');
  }, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }));

test('crazyhouse: a tap on the hand and one on the board is a drop', () =>
  onBoard(CRAZY, async ({ page, server }) => {
    await ours(page, '2 knights').tap();
    await tapSquares(page, 'd5');
    await askedFor(server, '/move/N@d5');
  }, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }));

test('crazyhouse: a drop is typed, and prepared while the opponent thinks', () =>
  onBoard({ ...CRAZY, ...AFTER_DROP }, async ({ page, server }) => {
    await ours(page, '1 knight').click();
    await clickSquares(page, 'd5');
    await untilMarked(page, 'current-premove', 'd5');
    const answer = { uci: 'd8d4', san: 'Qd4', fen: DROPPED.replace(' b ', ' w ') };
    const view = { ...DROPS, fen: answer.fen, moves: [...AFTER_DROP.view.moves, answer] };
    server.tell({ view });
    await askedFor(server, '/move/N@d5');
    server.tell({ view: { ...view, moves: [...view.moves, { uci: 'N@d5', san: 'N@d5', fen: DROPPED }, { ...answer, uci: 'd4d8' }] } });
    await until(() => page.title(), (title) => title.startsWith('Your turn'), 'our turn');
    await page.getByRole('textbox', { name: /Type a move, .*N@f3/ }).fill('p@d4');
    await page.keyboard.press('Enter');
    await askedFor(server, '/move/P@d4');
  }));

test('three-check: each side shows the checks that it has left, and the third ends the game', () => {
  const fen = 'rnbqkbnr/pppp1ppp/8/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR w KQkq - 1+3 2 3';
  const end = 'rnbqkbnr/pppp1Bpp/8/4p3/4P3/8/PPPP1PPP/RNBQK1NR b KQkq - 0+3 0 3';
  const view = { initialFen: fen, fen, turn: 'white', dests: { c4: ['f7'] }, legal: [{ uci: 'c4f7', san: 'Bxf7#' }] };
  return onBoard({ full: { ...variant('threeCheck'), initialFen: fen }, view }, async ({ page, server }) => {
    await page.locator('.bar.below').getByText('1 check left').waitFor();
    await page.locator('.bar.above').getByText('3 checks left').waitFor();
    await clickSquares(page, 'c4', 'f7');
    await askedFor(server, '/move/c4f7');
    server.tell({
      state: { status: 'variantEnd', winner: 'white' },
      view: {
        ...view, moves: [{ uci: 'c4f7', san: 'Bxf7#', fen: end }], fen: end, turn: 'black', check: true, dests: {}, legal: [],
        status: 'variantEnd', reason: '',
      },
    });
    await page.getByRole('heading', { name: 'You won' }).waitFor();
    await page.locator('.result').getByText('The third check').waitFor();
    await page.locator('.bar.below').getByText('0 checks left').waitFor();
    await untilMarked(page, 'check', 'e8');
    await page.getByText('bishop takes f7.').waitFor({ state: 'attached' });
  });
});

test('antichess: a capture is due, a pawn may become a king, and no end is a check', () => {
  const fen = '8/1P6/8/8/8/2p5/1P6/8 w - - 0 1';
  const promotions = ['q', 'n', 'r', 'b', 'k'].map((role) => ({ uci: `b7b8${role}`, san: `b8=${role.toUpperCase()}` }));
  const due = { initialFen: fen, fen, turn: 'white', dests: { b2: ['c3'] }, legal: [{ uci: 'b2c3', san: 'bxc3' }] };
  const full = { ...variant('antichess'), initialFen: fen };
  return onBoard({ full, view: due }, async ({ page, server }) => {
    await clickSquares(page, 'b7', 'b8');
    await page.getByText('A capture is due.').waitFor({ state: 'attached' });
    assert.equal(await page.locator('.material:visible').count(), 0, 'who has less is ahead');
    const taken = { uci: 'b2c3', san: 'bxc3', fen: '8/1P6/8/8/7p/2P5/8/8 b - - 0 1' };
    const answered = { uci: 'h4h3', san: 'h3', fen: '8/1P6/8/8/8/2P4p/8/8 w - - 0 2' };
    const moves = [taken, answered];
    server.tell({ view: { ...due, moves, fen: answered.fen, dests: { b7: ['b8'] }, legal: promotions } });
    await untilMarked(page, 'last-move', 'h3', 'h4');
    await drag(page, 'b7', 'b8');
    const dialog = page.getByRole('dialog', { name: 'Promote to' });
    await dialog.getByRole('button').nth(4).waitFor();
    assert.equal(await dialog.getByRole('button').count(), 5);
    const { height } = await dialog.locator('.promotion-column').boundingBox();
    assert.ok(Math.abs(height - (await page.locator('.ground').boundingBox()).height * 0.625) < 2, 'each as high as a square');
    await dialog.getByRole('button', { name: 'king' }).click();
    await askedFor(server, '/move/b7b8k');
    const end = '1K6/8/8/8/8/2P4p/8/8 b - - 0 2';
    server.tell({
      state: { status: 'variantEnd', winner: 'black' },
      view: { ...due, moves: [...moves, { uci: 'b7b8k', san: 'b8=K#', fen: end }], fen: end, turn: 'black', dests: {}, legal: [], status: 'variantEnd', reason: '' },
    });
    await page.locator('.result').getByText('Nothing is left to move').waitFor();
    assert.deepEqual(await marked(page, 'check'), []);
  });
});

/** Notes every square that explodes from here on: each is to be seen for a quarter of a second alone. */
const noteExplosions = (page) =>
  page.evaluate(() => {
    globalThis.exploded = new Set();
    const note = () => document.querySelectorAll('square.exploding1').forEach((square) => globalThis.exploded.add(square.cgKey));
    new MutationObserver(note).observe(document.querySelector('cg-board'), { childList: true, subtree: true, attributes: true });
  });
const exploded = (page) => page.evaluate(() => [...globalThis.exploded].sort().join());

test('atomic: what was blown up is off the board', () => {
  const before = 'r1bqkbnr/ppp1pppp/2n5/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3';
  const after = 'r1bqkbnr/ppp1pppp/8/8/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 3';
  const view = { initialFen: before, fen: before, turn: 'white', dests: { e4: ['d5'] }, legal: [{ uci: 'e4d5', san: 'exd5' }] };
  const game = { full: { ...variant('atomic'), initialFen: before }, view };
  return onBoard(game, async ({ page, server }) => {
    await noteExplosions(page);
    await clickSquares(page, 'e4', 'd5');
    await askedFor(server, '/move/e4d5');
    server.tell({ view: { ...view, moves: [{ uci: 'e4d5', san: 'exd5', fen: after }], fen: after, turn: 'black', dests: {}, legal: [] } });
    for (const key of ['c6', 'd5', 'e4']) await untilPieceAt(page, key, '');
    await untilMarked(page, 'last-move', 'd5', 'e4');
    await until(() => exploded(page), (keys) => keys === 'c6,d5', 'the squares explode');
  }, { reducedMotion: 'no-preference' });
});

test('atomic: castling that is written as king takes rook blows nothing up', () => {
  const before = 'rnbqkbnr/ppp1pppp/8/8/8/5NPB/PPPPPP1P/RNBQK2R w KQkq - 0 1';
  const castled = 'rnbqkbnr/ppp1pppp/8/8/8/5NPB/PPPPPP1P/RNBQ1RK1 b kq - 1 1';
  const taken = 'rn1qkbnr/ppp1pppp/8/8/8/5NP1/PPPPPP1P/RNBQ1RK1 w kq - 0 2';
  const moves = [{ uci: 'e1h1', san: 'O-O', fen: castled }];
  return onBoard({ full: { ...variant('atomic'), initialFen: before }, view: { initialFen: before, fen: before } }, async ({ page, server }) => {
    await noteExplosions(page);
    server.tell({ view: { initialFen: before, moves, fen: castled, turn: 'black', dests: {}, legal: [] } });
    await untilPieceAt(page, 'g1', 'white king');
    // A capture after it is seen alone.
    server.tell({ view: { initialFen: before, moves: [...moves, { uci: 'c8h3', san: 'Bxh3', fen: taken }], fen: taken, turn: 'white', dests: {}, legal: [] } });
    await until(() => exploded(page), (keys) => keys.includes('h3'), 'the capture explodes');
    assert.equal(await exploded(page), 'h3');
  }, { reducedMotion: 'no-preference' });
});

test('the hill and the last rank are marked, and racers see the board from one side', async () => {
  const hill = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
  await onBoard({ full: variant('kingOfTheHill'), view: { fen: hill } }, async ({ page }) => {
    await untilMarked(page, 'goal', 'd4', 'd5', 'e4', 'e5');
  });
  const race = '8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - - 0 1';
  const full = {
    ...variant('racingKings'), initialFen: race,
    white: { id: 'sparring', name: 'Sparring', title: 'BOT' }, black: { id: 'guest-test', name: 'guest-test' },
  };
  await onBoard({ full, view: { initialFen: race, fen: race } }, async ({ page }) => {
    await untilMarked(page, 'goal', 'a8', 'b8', 'c8', 'd8', 'e8', 'f8', 'g8', 'h8');
    await page.locator('.ground.orientation-white').waitFor();
    await page.locator('.bar.below').getByText('guest-test').waitFor();
    await page.keyboard.press('f');
    await page.locator('.ground.orientation-black').waitFor();
  });
});
