// The dashboard: live boards, controls, archive and figures, for eyes, keys and screen readers, and against strangers' text.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible, launch, shoot, until, visit } from './browser.mjs';
import { NASTY } from './nasty.mjs';
import { ScriptedDaemon, board, row } from './scripted-dashboard.mjs';

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** Open the dashboard of a daemon, look, and check that the page had nothing to complain about. */
async function onDashboard(prepare, look, options = {}) {
  const daemon = new ScriptedDaemon();
  prepare(daemon);
  const url = await daemon.start();
  const visitor = await visit(browser, url, options);
  try {
    await look({ ...visitor, daemon, url });
    assert.deepEqual(visitor.complaints, []);
  } finally {
    await visitor.context.close();
    await daemon.stop();
  }
}

const nothingSticksOut = async (page) =>
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing breaks the layout');
const sixteen = Array.from({ length: 16 }, (_, i) => board(`game00${i + 10}`, { opponent: `Guest ${i}`, bot: i % 3 === 0 }));

test('running games are boards that follow the stream, with clocks that tick', () =>
  onDashboard((daemon) => (daemon.boards = sixteen), async ({ page, daemon }) => {
    await until(() => page.locator('.live').count(), (count) => count === 16, 'sixteen boards');
    await until(() => page.locator('.live piece').count(), (count) => count === 16 * 32, 'with their pieces');
    const clock = page.locator('.live .clock.running').first();
    const before = await clock.textContent();
    await until(() => clock.textContent(), (now) => now !== before, 'the clock ticks');
    await assertAccessible(page);
    await shoot(page, 'dashboard-1280x800');
    daemon.tell(board('game0010', { opponent: 'Moved', plies: 6 }));
    await page.getByText('Moved').waitFor();
    daemon.tell({ type: 'gone', id: 'game0010' });
    await until(() => page.locator('.live').count(), (count) => count === 15, 'a game that ended goes');
    assert.equal(await page.getByText(/eval|score|\+0\./i).count(), 0, 'nobody is told what the bot thinks');
  }));

const CRAZY = 'r1bqkb1r/ppp2ppp/2n5/4p3/4P3/8/PPP2PPP/RNBQKB1R[NNPq] w KQkq - 0 6';

test('boards of variants show what stands beside them: pieces in hand, checks left, and races from one side', () =>
  onDashboard((daemon) => {
    daemon.boards = [
      board('game0001', { variant: 'crazyhouse', fen: CRAZY, last: 'N@f3' }),
      board('game0002', { variant: 'threeCheck', fen: 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 1+3 0 1' }),
      board('game0003', { variant: 'racingKings', side: 'black', fen: '8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - - 0 1', last: null }),
    ];
    daemon.game = { ...daemon.game, variant: 'crazyhouse', start: CRAZY, line: [], decisions: null };
  }, async ({ page, url }) => {
    const card = (at) => page.locator('.live').nth(at);
    await card(0).getByRole('img', { name: 'In the hand of White: 1 pawn, 2 knights' }).waitFor();
    await card(0).getByRole('img', { name: 'In the hand of Black: 1 queen' }).waitFor();
    assert.deepEqual(await card(1).locator('.tally').allInnerTexts(), ['3 checks left', '1 check left']);
    await card(2).locator('.ground.orientation-white').waitFor();
    assert.equal(await card(2).locator('.tally:visible').count(), 0);
    await assertAccessible(page);
    await shoot(page, 'dashboard-variants-1280x800');
    await page.goto(`${url}#/game/abcd1234`);
    await page.locator('.viewer').getByRole('img', { name: 'In the hand of White: 1 pawn, 2 knights' }).waitFor();
    await shoot(page, 'dashboard-crazyhouse-1280x800');
  }));

test('the owner pauses, reads settings again, and ends only when sure', () =>
  onDashboard(() => undefined, async ({ page, daemon }) => {
    await page.getByText('No game is running.').waitFor();
    await page.getByRole('button', { name: 'Pause' }).press('Enter');
    await page.getByText('Paused: no new games start.').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('button', { name: 'Reload settings' }).click();
    await page.getByRole('button', { name: 'Stop after these games' }).dblclick();
    assert.ok(!daemon.wishes.includes('drain'), 'once is not enough, nor is a double click');
    await page.getByRole('button', { name: 'Sure? This stops the daemon' }).click();
    await until(() => daemon.wishes.join(), (asked) => asked === 'pause,resume,reload,drain', 'all four are asked for');
  }));

test('from the list of games to a game, and why each move was played, by keys alone', () =>
  onDashboard(() => undefined, async ({ page }) => {
    await page.getByRole('link', { name: 'Games' }).press('Enter');
    await page.getByRole('cell', { name: 'lost' }).waitFor();
    assert.equal(await page.title(), 'Games – Sparring at work');
    assert.equal(await page.evaluate(() => document.activeElement.tagName + document.activeElement.textContent), 'H1Games');
    await assertAccessible(page);
    await page.locator('tbody a').first().press('Enter');
    await page.getByRole('heading', { name: 'Why 2. Nf3' }).waitFor();
    await page.getByText('Chosen as people rated 1400 choose: this move had a chance of 23 %.').waitFor();
    await page.getByText('Its style (attack and risk) drew it to this move; without it the chance was 8 %.').waitFor();
    const likeliest = page.getByRole('list', { name: 'What people rated 1400 play here at a glance' });
    assert.deepEqual(await likeliest.getByRole('listitem').allInnerTexts().then((rows) => rows.map((row) => row.split(/\s+/).join(' '))),
      ['Nf3 40 % 23 % after searching', 'Nc3 11 %']);
    await page.getByText('It saw that Qh5 was better (+0.95), and played as its level does.').waitFor();
    await assertAccessible(page);
    await shoot(page, 'dashboard-game-1280x800');
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('heading', { name: 'Their 1… e5' }).waitFor();
    await page.getByText('The opponent left the book here.').waitFor();
    await page.getByText('then Nf3 d6 d4').waitFor();
    const line = page.getByRole('link', { name: 'books/starter.book:41' });
    assert.equal(await line.getAttribute('href'), 'edit.html#/book/starter:41');
    await assertAccessible(page);
    await shoot(page, 'dashboard-left-book-1280x800');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('heading', { name: 'Why 1. e4' }).waitFor();
    await page.getByText('From the book: books/starter.book:41 · King’s Pawn').waitFor();
    await page.getByRole('link', { name: 'Opponents' }).press('Enter');
    await page.getByRole('link', { name: 'Ana (1512)' }).press('Enter');
    await page.getByRole('heading', { name: 'Games: ana' }).waitFor();
  }));

test('what a position is worth is told by its weightiest terms, and by all of them to who asks, by keys alone', () =>
  onDashboard(() => undefined, async ({ page, url }) => {
    await page.goto(`${url}#/game/abcd1234`);
    await page.getByText('Static evaluation: +0.17 for the bot.').waitFor();
    const named = page.getByRole('list', { name: 'The largest terms' }).getByRole('listitem');
    assert.deepEqual(await named.allInnerTexts().then((rows) => rows.map((row) => row.replace(/\s+/g, ' '))),
      ['+0.80 passed pawns', '−0.45 king safety', '+0.14 material and squares', '−0.12 space']);
    assert.equal(await page.locator('.why table').isVisible(), false);
    await page.locator('.why summary').press('Enter');
    const rows = async () => (await page.locator('.why tr').allInnerTexts()).map((row) => row.split('\t').map((cell) => cell.trim()));
    assert.deepEqual(await rows(), [
      ['In pawns', 'Bot', 'Opponent', 'Balance'],
      ['material and squares', '+41.02', '+40.88', '+0.14'],
      ['pawn structure', '+0.04', '+0.04', '0.00'],
      ['mobility', '+0.10', '+0.02', '+0.08'],
      ['king safety', '−0.33', '+0.12', '−0.45'],
      ['passed pawns', '+0.80', '0.00', '+0.80'],
      ['space', '+0.31', '+0.43', '−0.12'],
      ['the move', '0.00', '+0.28', '−0.28'],
      ['all together', '', '', '+0.17'],
    ]);
    await nothingSticksOut(page);
    await assertAccessible(page);
    await shoot(page, 'dashboard-terms-1280x800');

    await page.keyboard.press('ArrowLeft');
    await page.getByText('A capture or promotion is due, so there is no static evaluation.').waitFor();
    assert.equal(await page.locator('.why summary').count(), 0);
    await page.keyboard.press('ArrowLeft');
    await page.getByText('Static evaluation: +0.21 for the bot.').waitFor();
    assert.ok(await page.locator('.why table').isVisible(), 'who steps on still has the table');
    const focused = () => page.evaluate(() => document.activeElement.tagName);
    assert.equal(await focused(), 'SUMMARY', 'and the keyboard in it');
    await page.keyboard.press('Enter');
    await page.keyboard.press('End');
    await page.getByText('Static evaluation: +0.17 for the bot.').waitFor();
    assert.equal(await page.locator('.why table').isVisible(), false, 'until it is closed');
  }));

test('where nothing is judged term by term the card is as it was', () =>
  onDashboard((daemon) => {
    const told = daemon.game.decisions;
    Object.assign(daemon.game, { decisions: { ...told, evaluation: null } });
  }, async ({ page, url }) => {
    await page.goto(`${url}#/game/abcd1234`);
    await page.getByRole('heading', { name: 'Why 2. Nf3' }).waitFor();
    assert.equal(await page.getByText('Static evaluation').count() + await page.locator('.why details').count(), 0);
  }));

test('more games are added below, and eyes and cursor stay where they are', () =>
  onDashboard((daemon) => {
    daemon.games = Array.from({ length: 70 }, (_, i) => row(`game${1000 + i}`, { name: `Anametoolongforanycolumnofanytable${i}`.repeat(2) }));
  }, async ({ page, daemon, url }) => {
    await page.goto(`${url}#/games`);
    await until(() => page.locator('tbody tr').count(), (count) => count === 50, 'the newest');
    await page.locator('.named').first().waitFor();
    const fits = await page.locator('.named').first().evaluate((node) => node.getBoundingClientRect().right <= node.closest('td').getBoundingClientRect().right && node.textContent.endsWith('(1512)'));
    assert.ok(fits, 'the rating is in sight');
    await page.evaluate(() => (globalThis.sameTable = document.querySelector('tbody')));
    const more = page.getByRole('button', { name: 'Show more' });
    await more.focus();
    const before = await page.evaluate(() => scrollY);
    daemon.games.unshift(row('game0001'));
    await page.keyboard.press('Enter');
    await until(() => page.locator('tbody tr').count(), (count) => count === 70, 'all the others');
    assert.equal(await page.locator('tbody a').last().getAttribute('href'), '#/game/game1069');
    assert.equal(await page.evaluate(() => scrollY), before);
    assert.ok(before > 500 && await page.evaluate(() => globalThis.sameTable.isConnected));
    await page.getByText('70 games are shown.').waitFor();
    assert.match(page.url(), /most=100/);
    await page.reload();
    await until(() => page.locator('tbody tr').count(), (count) => count === 71, 'as many after a reload');
  }));

test('a running game keeps its reasons to itself', () =>
  onDashboard((daemon) => Object.assign(daemon.game, { decisions: null, result: 'runs' }), async ({ page, url }) => {
    await page.goto(`${url}#/game/abcd1234`);
    await page.getByText('Moves are explained only when the game is over.').waitFor();
  }));

test('scores stand in numbers beside their pictures', () =>
  onDashboard(() => undefined, async ({ page, url }) => {
    await page.goto(`${url}#/figures`);
    await page.getByText('55.0 % ± 8.0').waitFor();
    assert.equal(await page.locator('.score-bar').count(), 3);
    await page.getByRole('img', { name: /^Rating in blitz, from 1500 to/ }).waitFor();
    await assertAccessible(page);
    await shoot(page, 'dashboard-figures-1280x800');
  }));

test('the queue, the warnings of late and the level of casual games stand on the first page', () =>
  onDashboard(() => undefined, async ({ page, daemon }) => {
    await page.locator('dt', { hasText: 'In the queue' }).waitFor();
    assert.equal(await page.locator('.facts div', { hasText: 'In the queue' }).locator('dd').textContent(), '2');
    await page.getByText('no event stream after 4 tries: connection refused').waitFor();
    await page.getByRole('cell', { name: '3 times' }).waitFor();
    await page.getByText('book reloaded, 412 lines: books/main.book').waitFor();
    await page.getByText('books/mine.book:3:7: error').waitFor();
    assert.equal(await page.getByRole('link', { name: 'abcd1234' }).getAttribute('href'), '#/game/abcd1234');
    const level = page.getByRole('spinbutton', { name: 'Level of casual games' });
    await level.focus();
    await page.keyboard.type('1500');
    await page.keyboard.press('Enter');
    await page.getByText('now 1500, until the program ends').waitFor();
    await assertAccessible(page);
    await shoot(page, 'dashboard-warnings-1280x800');
    await page.getByRole('button', { name: 'As the settings say' }).press('Enter');
    await page.getByText('as the settings say', { exact: true }).waitFor();
    assert.deepEqual(daemon.wishes, ['level 1500', 'level null']);
  }));

test('where the buttons are off, none is shown', () =>
  onDashboard((daemon) => Object.assign(daemon.overview, { controls: false, edit: false }), async ({ page }) => {
    await page.getByText('All is well').waitFor();
    assert.equal(await page.locator('main button:visible, main input:visible').count(), 0);
    assert.equal(await page.getByRole('link', { name: 'Edit' }).count(), 0);
  }));

test('books show which of their lines cost points, and lead to them', () =>
  onDashboard(() => undefined, async ({ page }) => {
    await page.getByRole('link', { name: 'Books' }).press('Enter');
    await page.getByRole('heading', { name: 'main: Main lines' }).waitFor();
    await page.getByText('412 lines; followed in 120 games (79.5 %), 5.2 moves deep on average.').waitFor();
    await page.getByText('40 lines; followed in no game.').waitFor();
    const worst = page.locator('tbody tr').first();
    assert.match(await worst.textContent(), /^Nf31\. e4 e53040\.0 %50\.0 %−3\.0/);
    assert.equal(await worst.getByRole('link').getAttribute('href'), 'edit.html#/book/main:41');
    await assertAccessible(page);
    await shoot(page, 'dashboard-books-1280x800');
  }));

test('the ladder shows what each level was worth, in numbers too', () =>
  onDashboard(() => undefined, async ({ page }) => {
    await page.getByRole('link', { name: 'Levels' }).press('Enter');
    await page.getByRole('img', { name: /^Levels against performance/ }).waitFor();
    await page.getByRole('cell', { name: '1516 (1440 to 1592)' }).waitFor();
    await page.getByText('Levels are Elo points, measured against engines, not against people.').waitFor();
    await assertAccessible(page);
    await shoot(page, 'dashboard-levels-1280x800');
  }));

const phone = { viewport: { width: 360, height: 640 }, colorScheme: 'dark', hasTouch: true };
test('a phone shows every page, in the dark, and nothing sticks out', () =>
  onDashboard((daemon) => (daemon.boards = sixteen.slice(0, 2)), async ({ page, url }) => {
    for (const [place, name] of [['#/', 'now'], ['#/games', 'games'], ['#/game/abcd1234', 'game'], ['#/opponents', 'opponents'], ['#/figures', 'figures'], ['#/books', 'books'], ['#/levels', 'levels']]) {
      await page.goto(`${url}${place}`);
      await until(() => page.locator('main').textContent(), (text) => !text.includes('Loading'), `${name} is there`);
      await nothingSticksOut(page);
      await assertAccessible(page);
      await shoot(page, `dashboard-${name}-360x640`);
    }
  }, phone));

test('names, reasons and gates are text, whatever they contain', () =>
  onDashboard((daemon) => {
    daemon.boards = NASTY.map((text, i) => board(`nasty0${i + 10}`, { opponent: text, personality: text, speed: text }));
    daemon.overview = { ...daemon.overview, user: NASTY[0], gates: NASTY.map((key) => ({ key, until: 0 })), ok: false, why: NASTY[1] };
    daemon.games = NASTY.map((name) => row('abcd1234', { name, personality: name, speed: name, status: name }));
    daemon.warnings = NASTY.map((text) => ({ ...daemon.warnings[0], text, game: text, severity: text }));
    daemon.books.books = NASTY.map((text) => ({
      ...daemon.books.books[1], name: text, title: text, path: text, moves: [{ ...daemon.books.books[1].moves[0], after: text, move: text, at: `${text}.book:1` }],
    }));
    daemon.levels = { ...daemon.levels, note: NASTY[0] };
    daemon.opponents = NASTY.map((name) => ({ ...daemon.opponents[0], name, id: name }));
    daemon.figures.bySpeed = NASTY.map((name) => ({ ...daemon.figures.bySpeed[0], name }));
    daemon.figures.ratings = { [NASTY[0]]: [{ at: 0, rating: 1 }] };
    daemon.game = { ...daemon.game, name: NASTY[0], personality: NASTY[1], line: daemon.game.line.map((move) => ({ ...move, san: NASTY[0] })) };
  }, async ({ page, url }) => {
    page.on('dialog', () => assert.fail('a script ran'));
    await until(() => page.locator('.live strong').count(), (count) => count === 2 * NASTY.length, 'all boards are there');
    for (const place of ['#/', '#/games', '#/opponents', '#/figures', '#/books', '#/levels', '#/game/abcd1234']) {
      await page.goto(`${url}${place}`);
      await until(() => page.locator('main').textContent(), (text) => text.includes(NASTY[0]), `${place} shows it`);
      assert.equal(await page.locator('main img, main script, main iframe, main [onload], main [onerror]').count(), 0);
      assert.equal(await page.locator('main a[href^="javascript"]').count(), 0);
      await nothingSticksOut(page);
    }
  }));

test('a stream of boards that falls silent stops the clocks and says so, while the rest is well', () =>
  onDashboard((daemon) => (daemon.boards = sixteen.slice(0, 1)), async ({ page, daemon }) => {
    await page.clock.install();
    await page.reload();
    await page.locator('.live').waitFor();
    const banner = page.getByText('The stream of boards is broken');
    const clocks = () => page.locator('.live .clock').allTextContents();
    daemon.silent = ['/api/live'];
    await page.clock.fastForward(17_000);
    await banner.waitFor();
    await assertAccessible(page);
    await shoot(page, 'dashboard-silent-1280x800');
    const [then, { looks }] = [await clocks(), daemon];
    await page.clock.fastForward(6_000);
    await until(() => daemon.looks, (now) => now > looks, 'the daemon is asked how it is, and answers');
    assert.ok(await banner.isVisible());
    assert.deepEqual(await clocks(), then, 'no clock runs on');
    assert.equal(await page.locator('.health').textContent(), 'All is well');
    daemon.silent = [];
    await page.clock.fastForward(17_000);
    await banner.waitFor({ state: 'hidden' });
  }));

test('a daemon that is gone is not well, and what it said of late stays', () =>
  onDashboard((daemon) => (daemon.boards = sixteen.slice(0, 1)), async ({ page, daemon, url }) => {
    const warning = page.getByText('no event stream after 4 tries');
    await warning.waitFor();
    await page.route('**/api/warnings', (route) => route.fulfill({ status: 503, body: '{}' }));
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused: no new games start.').waitFor();
    assert.ok(await warning.isVisible(), 'one call that fails takes nothing away');
    await daemon.stop();
    await page.getByText(/^Last update: /).waitFor();
    await assertAccessible(page);
    await shoot(page, 'dashboard-gone-1280x800');
    assert.ok(await warning.isVisible());
    assert.equal(await page.getByText('All is well').count(), 0);
    await daemon.start(Number(new URL(url).port));
    await page.getByText('Paused: no new games start.').waitFor();
  }, { expected: /ERR_|Failed to load/ }));

test('a running game is a link, and its page follows the moves to the end', () =>
  onDashboard((daemon) => {
    daemon.boards = [board('abcd1234')];
    Object.assign(daemon.game, { decisions: null, result: 'runs', status: null, line: daemon.game.line.slice(0, 1) });
  }, async ({ page, daemon }) => {
    const { line } = new ScriptedDaemon().game;
    await page.getByRole('link', { name: 'Ana (1512)' }).press('Enter');
    await page.getByRole('button', { name: '1. e4' }).waitFor();
    daemon.game.line = line.slice(0, 2);
    daemon.tell(board('abcd1234', { plies: 2 }));
    await page.locator('.moves button[aria-current]', { hasText: 'e5' }).waitFor();
    await page.keyboard.press('Home');
    daemon.game.line = line;
    daemon.tell(board('abcd1234', { plies: 3 }));
    await page.getByRole('button', { name: '2. Nf3' }).waitFor();
    assert.equal(await page.locator('.moves button[aria-current]').count(), 0, 'who looks back is left there');
    daemon.tell({ type: 'gone', id: 'abcd1234' });
    Object.assign(daemon.game, { result: 'won', status: 'resign' });
    await page.getByText(/won, resign$/).waitFor();
  }));

test('who reads the moves of a running game by keyboard stays at the same move when the next one comes', () =>
  onDashboard((daemon) => {
    daemon.boards = [board('abcd1234')];
    Object.assign(daemon.game, { decisions: null, result: 'runs', status: null, line: daemon.game.line.slice(0, 2) });
  }, async ({ page, daemon, url }) => {
    await page.goto(`${url}#/game/abcd1234`);
    await page.getByRole('button', { name: '1. e4' }).press('Enter');
    daemon.game.line = new ScriptedDaemon().game.line;
    daemon.tell(board('abcd1234', { plies: 3 }));
    await page.getByRole('button', { name: '2. Nf3' }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.textContent), '1. e4');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'e5');
  }));

test('a game that was left before it came leaves nothing behind: no keys taken, no stream read', () =>
  onDashboard((daemon) => Object.assign(daemon.game, { decisions: null, result: 'runs' }), async ({ page, url }) => {
    const live = [];
    page.on('request', (request) => request.url().endsWith('/api/live') && live.push(request));
    let answer;
    const mayAnswer = new Promise((resolve) => (answer = resolve));
    await page.route('**/api/game/abcd1234', async (route) => {
      await mayAnswer;
      await route.continue();
    });
    await page.goto(`${url}#/games`);
    await page.locator('tbody tr').first().waitFor();
    live.length = 0;
    const asked = page.waitForRequest('**/api/game/abcd1234');
    await page.goto(`${url}#/game/abcd1234`);
    await asked;
    await page.getByRole('link', { name: 'Games' }).press('Enter');
    await page.locator('tbody tr').first().waitFor();
    const response = page.waitForResponse('**/api/game/abcd1234');
    answer();
    await (await response).finished();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    const isTaken = await page.evaluate(() => !dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', cancelable: true })));
    assert.equal(isTaken, false, 'the arrow keys scroll');
    assert.deepEqual(live.map((request) => request.url()), []);
  }));

test('a daemon that is gone is missed, and its return is noticed', () =>
  onDashboard((daemon) => (daemon.boards = sixteen.slice(0, 1)), async ({ page, daemon, url }) => {
    await page.locator('.live').waitFor();
    await daemon.stop();
    await page.getByText('The daemon does not answer. Trying again…').waitFor();
    const again = new ScriptedDaemon();
    again.boards = sixteen.slice(0, 3);
    await again.start(Number(new URL(url).port));
    await until(() => page.locator('.live').count(), (count) => count === 3, 'the boards of now');
    await page.getByText('The daemon does not answer.').waitFor({ state: 'hidden' });
    await page.close();
    await again.stop();
    await daemon.start();
  }, { expected: /ERR_|Failed to load/ }));
