// What makes the board pleasant to use: sounds, keys, words for those who do not see it, more time, memory of results.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, clickSquares, drag, until } from './browser.mjs';
import {
  AFTER_E5, KNIGHT_PLAYED, MY_MOVE, WAITING, askedFor, onBoard, visitor,
} from './scene.mjs';
import { ME, ScriptedServer } from './scripted.mjs';

const spoken = (page) => page.locator('.only-spoken[aria-live]');
const untilSpoken = (page, pattern) => until(() => spoken(page).textContent(), (line) => pattern.test(line), String(pattern));

/** Keep the pitch of every tone that the page strikes, and start the page anew with that ear. */
async function listen(page) {
  await page.addInitScript(() => {
    const Tone = globalThis.OscillatorNode;
    globalThis.heard = [];
    globalThis.OscillatorNode = class extends Tone {
      constructor(context, options) {
        super(context, options);
        globalThis.heard.push(options.frequency);
      }
    };
  });
  await page.reload();
  await page.waitForSelector('cg-board piece');
  return async () => page.evaluate(() => globalThis.heard.splice(0).join());
}

test('sound is off until it is switched on, then each moment has its own, and the choice is remembered', () =>
  onBoard(WAITING, async ({ page, server }) => {
    let heard = await listen(page);
    const after = async (what, changes) => {
      server.tell(changes);
      await page.getByText(what).first().waitFor();
      return heard();
    };
    const played = (...sans) => ({ moves: sans.map((san, i) => ({ uci: i % 2 ? 'e7e5' : 'e2e4', san, fen: AFTER_E5 })) });
    assert.equal(await after('e5', { view: played('e4', 'e5') }), '');

    await page.getByRole('button', { name: 'Sound' }).click();
    assert.notEqual(await heard(), '', 'the switch lets us hear that it works');
    await page.reload();
    await page.waitForSelector('cg-board piece');
    assert.equal(await page.getByRole('button', { name: 'Sound' }).getAttribute('aria-pressed'), 'true');
    await page.getByRole('button', { name: 'Turn the board' }).click(); // A browser wants to see a hand first.

    const sounds = [
      await after('Nf3', { view: played('e4', 'e5', 'Nf3') }),
      await after('dxe4', { view: played('e4', 'e5', 'Nf3', 'dxe4') }),
      await after('Qxf7+', { view: played('e4', 'e5', 'Nf3', 'dxe4', 'Qxf7+') }),
      await after('You won', { state: { status: 'resign', winner: 'white' } }),
    ];
    assert.equal(new Set(sounds).size, 4, `four different sounds: ${sounds.join(' | ')}`);
    assert.ok(sounds.every(Boolean));
  }));

test('a warning sounds once when our time gets short, and not for the opponent', () =>
  onBoard({ ...MY_MOVE, state: { btime: 5_000 } }, async ({ page, server }) => {
    const heard = await listen(page);
    await page.getByRole('button', { name: 'Sound' }).click();
    await page.locator('.bar.above .clock.low').waitFor();
    assert.doesNotMatch(await heard(), /988/);
    server.tell({ state: { wtime: 10_200 } });
    await page.locator('.bar.below .clock.low').waitFor();
    assert.equal((await heard()).match(/988/g)?.length, 3, 'one warning of three tones');
    await until(() => page.locator('.bar.below .clock').textContent(), (clock) => clock < '0:09.0', 'a second passes');
    assert.equal(await heard(), '');
  }));

test('every button of a game has a key, and the key is in its tooltip', () =>
  onBoard({ ...MY_MOVE, state: { rated: false } }, async ({ page, server }) => {
    const controls = await page.locator('button:visible, .game input:visible').evaluateAll((all) =>
      all.map((each) => [each.getAttribute('aria-keyshortcuts'), each.title || each.getAttribute('aria-label')]));
    assert.deepEqual(controls.filter(([key]) => key !== null), [
      ['s', 'Sound is off (s)'], ['?', 'Settings and keys (?)'],
      ['Home', 'First position (Home)'], ['ArrowLeft', 'One move back (left arrow)'], ['ArrowRight', 'One move forward (right arrow)'],
      ['End', 'To the game (End)'], ['f', 'Turn the board (f)'],
      ['t', 'Ask to take your last move back (t)'], ['d', 'Offer a draw (d)'], ['+', 'Give me 15 seconds more (+)'], ['r', 'Resign the game (r)'],
      ['m', 'Type a move, Nf3 or e2e4'], ['c', 'Say something'],
    ]);
    const keyless = await page.locator('.actions button:visible, .steps button:visible').evaluateAll((all) =>
      all.filter((each) => !each.title.endsWith(')') || !each.hasAttribute('aria-keyshortcuts')).length);
    assert.equal(keyless, 0, 'no button of a game is without');
    for (const [key, part] of [['t', '/takeback/yes'], ['d', '/draw/yes'], ['+', '/more-time']]) {
      await page.keyboard.press(key);
      await askedFor(server, part);
    }
    await page.keyboard.press('f');
    await page.waitForSelector('.orientation-black');
    await page.keyboard.press('m');
    await page.keyboard.type('rrdt');
    assert.equal(await page.locator('.entry input').inputValue(), 'rrdt', 'keys in a field are letters');
    await page.locator('.entry input').fill('');
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('c');
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Say something');
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('Control+r').catch(() => undefined); // The browser's own, not ours.
    await page.waitForSelector('cg-board piece');
    assert.ok(!server.asked.some((line) => line.includes('/resign')));
    await page.keyboard.press('r');
    await page.getByRole('button', { name: 'Sure?' }).waitFor();
    await untilSpoken(page, /once more/);
    await page.locator('button.armed:not([aria-disabled])').waitFor();
    await page.keyboard.press('r');
    await askedFor(server, '/resign');
    server.tell({ state: { status: 'resign', winner: 'black' } });
    await page.getByRole('button', { name: 'Rematch' }).waitFor();
    await page.keyboard.press('o');
    await page.getByRole('heading', { name: 'Play a game' }).waitFor();
    await page.keyboard.press('s');
    await page.locator('header button[aria-pressed=true]').waitFor();
  }));

test('who takes a piece after writing has the keys of the game again', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    for (const field of ['Say something', 'Type a move, Nf3 or e2e4']) {
      await page.getByLabel(field).click();
      await clickSquares(page, 'g1');
      await page.keyboard.press('f');
      assert.equal(await page.getByLabel(field).inputValue(), '');
    }
    await page.keyboard.press('d');
    await askedFor(server, '/draw/yes');
  }));

test('a page has its own title, and whoever comes to it by keyboard is led to its heading', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    await until(() => page.title(), (title) => title === 'Your turn · Sparring', 'our turn');
    server.tell({ state: { status: 'resign', winner: 'white' } });
    await until(() => page.title(), (title) => title === 'You won · Sparring', 'the end');
    await page.getByRole('button', { name: 'New game' }).press('Enter');
    const focused = () => page.evaluate(() => document.activeElement.tagName + document.activeElement.textContent);
    await until(focused, (what) => what === 'H1Play a game', 'the heading of the lobby');
    assert.equal(await page.title(), 'Play a game · Sparring');
  }));

test('an answer that comes after a game was left changes nothing of the next page', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    let asked, answer;
    const isAsked = new Promise((resolve) => (asked = resolve));
    const mayAnswer = new Promise((resolve) => (answer = resolve));
    await page.route('**/decisions*', async (route) => {
      asked();
      await mayAnswer;
      await route.continue();
    });
    server.tell({ state: { status: 'resign', winner: 'white' } });
    await isAsked;
    await page.getByRole('button', { name: 'New game' }).click();
    await until(() => page.title(), (title) => title === 'Play a game · Sparring', 'the lobby');
    const response = page.waitForResponse('**/decisions*');
    answer();
    await (await response).finished();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    assert.equal(await page.title(), 'Play a game · Sparring');
  }));

test('one slip of a hand resigns nothing: a double click, a held key, presses that come too soon or too late', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    await page.clock.install();
    await page.reload();
    await page.waitForSelector('cg-board piece');
    await page.clock.pauseAt(Date.now() + 5_000);
    const resign = page.getByRole('button', { name: 'Resign' });
    const sure = page.getByRole('button', { name: 'Sure?' });
    await resign.dblclick();
    await sure.waitFor();
    await page.clock.runFor(4_000);
    await resign.waitFor();
    for (let i = 0; i < 10; i += 1) {
      await page.keyboard.down('r');
      await page.clock.runFor(200);
    }
    await page.keyboard.up('r');
    await page.clock.runFor(4_000);
    await resign.focus();
    for (let i = 0; i < 4; i += 1) {
      await page.keyboard.down('Enter');
      await page.clock.runFor(600);
    }
    await page.keyboard.up('Enter');
    await page.clock.runFor(4_000);
    for (let i = 0; i < 10; i += 1) {
      await page.keyboard.press('r');
      await page.clock.runFor(100);
    }
    await page.keyboard.press('d');
    await askedFor(server, '/draw/yes');
    assert.ok(!server.asked.some((line) => line.includes('/resign')), 'nothing was resigned');
    await page.clock.runFor(500);
    await page.keyboard.press('r');
    await askedFor(server, '/resign');
  }));

test('the list of keys opens by its own key, holds the settings, and closes by Escape', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Settings and keys' });
    await dialog.waitFor();
    await assertAccessible(page);
    await page.keyboard.press('d');
    await dialog.getByLabel('Promote to a queen without asking').check();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(server.asked.filter((line) => line.includes('/draw')), [], 'keys do not reach through the dialog');
  }));

test('with the setting for it a pawn becomes a queen without a question', () => {
  const fen = '8/P6k/8/8/8/8/8/K7 w - - 0 1';
  const legal = ['q', 'n', 'r', 'b'].map((role) => ({ uci: `a7a8${role}`, san: `a8=${role.toUpperCase()}` }));
  const view = { initialFen: fen, fen, turn: 'white', dests: { a7: ['a8'] }, legal };
  return onBoard({ full: { initialFen: fen }, view }, async ({ page, server }) => {
    await page.keyboard.press('?');
    await page.getByLabel('Promote to a queen without asking').check();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.waitForSelector('cg-board piece');
    await clickSquares(page, 'a7', 'a8');
    await askedFor(server, '/move/a7a8q');
    assert.equal(await page.locator('.promotion').count(), 0);
  });
});

test('more time is asked for in casual games with a clock, and offered in no others', async () => {
  const more = (page) => page.getByRole('button', { name: '+15 s' });
  await onBoard(MY_MOVE, async ({ page, server }) => {
    await more(page).click();
    await askedFor(server, '/sandbox/game/game0001/more-time');
    server.tell({ state: { wtime: 315_000 } });
    await until(() => page.locator('.bar.below .clock').textContent(), (clock) => clock > '5:10', 'the clock has it');
  });
  await onBoard({ ...MY_MOVE, full: { clock: null } }, async ({ page }) => {
    await page.getByRole('button', { name: 'Draw' }).waitFor();
    assert.equal(await more(page).count(), 0);
    assert.equal(await page.locator('.bar.below .clock').textContent(), 'no clock');
  });
  await onBoard({ ...MY_MOVE, full: { rated: true } }, async ({ page }) => {
    await page.getByRole('button', { name: 'Draw' }).waitFor();
    assert.equal(await more(page).count(), 0);
  });
});

test('the board can be read as a table, from the side of the player and in the past too', () =>
  onBoard(MY_MOVE, async ({ page }) => {
    const table = page.getByRole('table', { name: /The board in words/ });
    const cell = (key) => table.locator(`[data-square=${key}]`).textContent();
    const firstRow = () => table.locator('tbody tr').first().locator('th').textContent();
    assert.deepEqual(await Promise.all(['g1', 'e4', 'e2', 'e8'].map(cell)), [
      'white knight', 'white pawn', 'empty', 'black king',
    ]);
    assert.equal(await table.locator('caption').textContent(), 'The board in words: Black e5');
    assert.equal(await table.locator('td[data-square]').count(), 64);
    assert.equal(await firstRow(), '8');
    await page.keyboard.press('f');
    assert.equal(await firstRow(), '1');
    await page.keyboard.press('Home');
    assert.deepEqual(await Promise.all(['e4', 'e2'].map(cell)), ['empty', 'white pawn']);
    assert.equal(await table.locator('caption').textContent(), 'The board in words: Start position');
  }));

test('a piece that goes back is explained to screen readers, whether it was dragged or clicked', () =>
  onBoard({ view: { ...MY_MOVE.view, check: true } }, async ({ page, server }) => {
    await drag(page, 'g1', 'g4');
    await untilSpoken(page, /The knight on g1 cannot go to g4\. You are in check\./);
    await clickSquares(page, 'f1', 'h4');
    await untilSpoken(page, /The bishop on f1 cannot go to h4\./);
    await clickSquares(page, 'g1', 'f3');
    await askedFor(server, '/move/g1f3');
    assert.match(await spoken(page).textContent(), /bishop/, 'nothing is said about a legal move');
  }));

test('the bar names the personality and level that were asked for, and the lobby remembers the result', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    const who = page.locator('.bar.above .who');
    await until(() => who.textContent(), (name) => name === 'The Club Player · 1500', 'the default');
    server.say(ME, '!play attacker');
    await until(() => who.textContent(), (name) => name === 'The Attacker · 1800', 'as asked');
    server.say(ME, '!level 1250');
    server.say('Sparring', '!level 900');
    server.say(ME, '!level 99999');
    await until(() => who.textContent(), (name) => name === 'The Attacker · 1250', 'only our own, sensible wishes');
    await page.reload();
    await until(() => who.textContent(), (name) => name === 'The Attacker · 1250', 'after a reload');
    server.tell({ state: { status: 'mate', winner: 'white' } });
    await page.getByRole('button', { name: 'New game' }).click();
    await page.getByText('You won last time · 1 won, 0 drawn, 0 lost').waitFor();
    assert.equal(await page.getByText('last time').count(), 1);
  }));

test('the cards tell what the files of the personalities say', async () => {
  const server = new ScriptedServer();
  const [first, ...rest] = server.lobby.personalities;
  const about = { books: ['gambits', 'starter'], pace: 'quick', takebacks: 1 };
  server.lobby = { ...server.lobby, personalities: [{ ...first, ...about }, ...rest] };
  const { page, context, complaints } = await visitor(await server.start());
  await page.getByText('book: gambits').waitFor();
  assert.deepEqual(await page.locator('.tags').first().locator('small').allTextContents(), [
    'book: gambits', 'quick', '1 takeback',
  ]);
  assert.deepEqual(complaints, []);
  await context.close();
  await server.stop();
});

test('material ahead is shown for both sides', () => {
  const fen = 'rnbqkb1r/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQK1NR w KQkq - 0 2';
  return onBoard({ view: { ...MY_MOVE.view, fen } }, async ({ page, server }) => {
    // White has knights 2:1, Black has bishops 2:1: both show a piece, nobody is ahead.
    for (const bar of ['above', 'below']) {
      assert.equal(await page.locator(`.bar.${bar} .material piece`).count(), 1);
      assert.equal(await page.locator(`.bar.${bar} .material`).textContent(), '');
    }
    server.tell({ view: { fen: fen.replace('rnbqkb1r', 'rn1qkb1r') } });
    await until(() => page.locator('.bar.below .material').textContent(), (points) => points === '+3', 'three ahead');
  });
});

test('light and dark follow the system until the player chooses, and the board stays brown', () =>
  onBoard(KNIGHT_PLAYED, async ({ page }) => {
    const color = (selector) => page.locator(selector).evaluate((node) => getComputedStyle(node).backgroundColor);
    const dark = await color('body');
    assert.equal(await color('cg-board'), 'rgb(181, 136, 99)');
    await page.getByRole('button', { name: 'Light or dark colours' }).click();
    const light = await color('body');
    assert.notEqual(light, dark);
    assert.equal(await color('cg-board'), 'rgb(181, 136, 99)');
    await page.reload();
    await page.waitForSelector('cg-board piece');
    assert.equal(await color('body'), light);
    await assertAccessible(page);
  }, { colorScheme: 'dark' }));

test('a book that is saved during the game is told of for a moment, and what is wrong with it by its line', async () => {
  const server = new ScriptedServer(MY_MOVE);
  server.lobby = { ...server.lobby, reloads: true };
  server.reloads = [{ number: 3, good: true, text: 'book reloaded, 9 lines: books/old.book' }];
  const { page, context, complaints } = await visitor(`${await server.start()}#/game/game0001`);
  await page.waitForSelector('cg-board piece');
  await page.waitForResponse((response) => response.url().endsWith('/reloads'));
  const line = page.locator('.reloaded');
  assert.equal(await line.isVisible(), false, 'what was before is no news');
  server.reloads = [{ number: 4, good: true, text: 'book reloaded, 412 lines: books/mine.book' }, ...server.reloads];
  await page.getByText('book reloaded, 412 lines: books/mine.book').waitFor();
  server.reloads = [{ number: 5, good: false, text: 'book kept as it was:\nbooks/mine.book:3:7: error: <b>e9</b>' }, ...server.reloads];
  await page.getByText('books/mine.book:3:7: error: <b>e9</b>').waitFor();
  assert.equal(await line.evaluate((node) => node.classList.contains('problem')), true);
  await assertAccessible(page);
  assert.deepEqual(complaints, []);
  await context.close();
  await server.stop();
});
