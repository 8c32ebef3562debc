// After the game: the cards that say why, and where the book was left, by whom, and what it would have played.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, shoot, until } from './browser.mjs';
import { MY_MOVE, onBoard } from './scene.mjs';

const BOOKED = {
  ply: 2, san: 'e5', from: 'book', note: 'book', tookMillis: 900, clockMillis: null, depth: null, nodes: null, search: null,
  book: { at: 'books/starter.book:41', note: 'King’s Pawn', moves: [{ san: 'e5', chance: 1 }] },
};
const planned = (san, chance, ...then) => ({ san, chance, at: 'books/starter.book:42', note: null, then });
const left = (by, ply, plan = [planned('Nf3', 0.75, 'Nc6', 'Bb5'), planned('Nc3', 0.25)]) =>
  ({ ply, by, at: 'books/starter.book:41', note: 'King’s Pawn', plan });

/** A finished game of 1. e4 e5 2. Nf3, seen by White, who plays against the bot. */
const over = (why, look, options) => {
  const fen = 'rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2';
  const moves = [...MY_MOVE.view.moves, { uci: 'g1f3', san: 'Nf3', fen }];
  const view = { ...MY_MOVE.view, moves, fen, turn: 'black', dests: {}, legal: [] };
  return onBoard({ view, state: { status: 'resign', winner: 'white' } }, async (stage) => {
    stage.server.why = why;
    await stage.page.goto('about:blank');
    await stage.page.goto(`${stage.url}#/game/game0001`);
    await stage.page.locator('.why h2').waitFor();
    await look(stage.page);
  }, options);
};

for (const colorScheme of ['light', 'dark']) {
  test(`who left the book reads it at the own move, with what the book had planned (${colorScheme})`, () =>
    over({ leftBook: left('opponent', 3), decisions: [BOOKED], edit: true }, async (page) => {
      await page.getByRole('heading', { name: 'Your 2. Nf3' }).waitFor();
      await page.getByText('You left the book here.').waitFor();
      await page.getByText('The book’s plan was:').waitFor();
      assert.deepEqual(await page.locator('.plan li > span').allTextContents(), ['Nf3', '75 %', 'Nc3', '25 %']);
      await page.getByText('then Nc6 Bb5').waitFor();
      assert.match(await page.locator('.move-list button').nth(2).getAttribute('class'), /off-book/);
      await assertAccessible(page);
      await shoot(page, `why-left-${colorScheme}`);
      await page.keyboard.press('ArrowLeft');
      await page.getByRole('heading', { name: 'Why 1… e5' }).waitFor();
      const line = page.getByRole('link', { name: 'books/starter.book:41' });
      assert.equal(await line.getAttribute('href'), 'edit.html#/book/starter:41');
    }, { colorScheme }));
}

for (const [by, said] of [['bot', 'The bot left the book here.'], ['nobody', 'The book ends here.'], [null, 'The book was left here.']]) {
  test(`the card says it where it was otherwise: ${said}`, () => {
    const searched = { ...BOOKED, from: 'search', book: null, depth: 3, nodes: 900, search: { lines: [], people: null } };
    return over({ leftBook: left(by, 2, []), decisions: [searched] }, async (page) => {
      await page.keyboard.press('ArrowLeft');
      await page.getByText(said).waitFor();
      assert.equal(await page.getByText('The book’s plan was:').count(), 0);
      await until(() => page.locator('.why a').count(), (count) => count === 0, 'no link where nothing can be edited');
    });
  });
}

const BALANCE = { total: -48, own: [4000, 12, 0], theirs: [4040, 20, 0], named: [0] };
const evaluation = (...after) => ({ terms: ['material and squares', 'king safety', 'passed pawns'], after });

for (const colorScheme of ['light', 'dark']) {
  test(`each position is worth something to the bot, after the own moves too, on a phone (${colorScheme})`, () =>
    over({ leftBook: null, decisions: [BOOKED], evaluation: evaluation(null, { not: 'check' }, BALANCE) }, async (page) => {
      await page.getByRole('heading', { name: 'Your 2. Nf3' }).waitFor();
      await page.getByText('Static evaluation: −0.48 for the bot.').waitFor();
      await page.locator('.why summary').click();
      assert.deepEqual(await page.locator('.why thead th').allTextContents(), ['In pawns', 'Bot', 'You', 'Balance']);
      assert.deepEqual(await page.locator('.why tbody th').allTextContents(), ['material and squares', 'king safety'], 'what is there');
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing breaks the layout');
      await assertAccessible(page);
      await page.locator('.why').scrollIntoViewIfNeeded();
      await shoot(page, `why-terms-${colorScheme}`);
      await page.keyboard.press('ArrowLeft');
      await page.getByText('In check there is no static evaluation.').waitFor();
      assert.equal(await page.evaluate(() => document.activeElement.className), 'why-body', 'the keyboard is still there');
      await page.keyboard.press('ArrowLeft');
      await page.getByText('Go to a move of the bot').waitFor();
    }, { colorScheme, viewport: { width: 390, height: 844 } }));
}

test('where no term stands out the card says so', () =>
  over({ leftBook: null, decisions: [BOOKED], evaluation: evaluation(null, null, { ...BALANCE, named: [] }) }, async (page) => {
    await page.getByText('Static evaluation: −0.48 for the bot. No term stands out.').waitFor();
    assert.equal(await page.locator('.why ul').count(), 0);
  }));
