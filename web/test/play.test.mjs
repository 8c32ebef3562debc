// Whole games in the browser against the real program: its server, its daemon, its engine.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { assertAccessible, clickSquares, drag, launch, shoot, tapSquares, until, visit } from './browser.mjs';
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
const CLOCK = '3+2';
const PATIENCE_MS = 60_000;

const movesPlayed = (page) => page.locator('.move-list button').allTextContents();
const untilPlies = (page, count) =>
  until(() => movesPlayed(page), (moves) => moves.length >= count, `${count} moves are played`, PATIENCE_MS);
const label = (page, text) => page.locator('label', { hasText: text });

/** From the lobby into a game with this colour against the opponent that is offered. */
async function enterGame(page, color) {
  await label(page, color).click();
  await label(page, CLOCK).click();
  const play = page.getByRole('button', { name: 'Play' });
  await until(() => play.isEnabled(), Boolean, 'the bot is there');
  await play.click();
  await page.waitForSelector('cg-board piece');
}

/** An answer of the server about the game on the page, asked in the name of the page's guest. */
const ask = (page, path, accept) => page.evaluate(async ([where, type]) => {
  const { token } = JSON.parse(localStorage.getItem('sparring.guest'));
  const id = location.hash.split('/').pop();
  return (await fetch(where.replace('ID', id), { headers: { Authorization: `Bearer ${token}`, Accept: type } })).text();
}, [path, accept]);

/** The rules as the server knows them. */
const view = async (page) => JSON.parse(await ask(page, '/sandbox/game/ID/view', 'application/json'));

const resign = async (page) => {
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('button', { name: 'Sure?' }).click();
  await page.getByRole('heading', { name: 'You lost' }).waitFor();
};

test('a game by click and drag, with chat, resignation, result and rematch', async () => {
  const { page, context, complaints } = await visit(browser, sparring.url);
  await page.getByRole('heading', { name: 'Play a game' }).waitFor();
  await assertAccessible(page);
  await shoot(page, 'lobby-1280x800');
  await enterGame(page, 'White');

  await clickSquares(page, 'e2', 'e4');
  await untilPlies(page, 2);
  await drag(page, 'g1', 'f3');
  await untilPlies(page, 4);
  for (let ply = 4; ply < 8; ply += 2) {
    await until(async () => (await view(page)).turn, (turn) => turn === 'white', 'it is our turn', PATIENCE_MS);
    const { legal } = await view(page);
    // A quiet legal move, whatever the bot did: neither a promotion nor one that could end the game.
    const { uci } = legal.find(({ san }) => /^[NB]?[a-h]?[a-h][2-6]$/.test(san)) ?? legal[0];
    await (ply % 4 ? drag : clickSquares)(page, uci.slice(0, 2), uci.slice(2, 4));
    await untilPlies(page, ply + 2);
  }
  const moves = await movesPlayed(page);
  assert.equal(moves[0], 'e4');
  assert.equal(moves[2], 'Nf3');
  assert.deepEqual(moves, (await view(page)).moves.map(({ san }) => san).slice(0, moves.length));
  assert.match(await page.locator('.bar.below .clock').textContent(), /^[23]:\d\d$/);

  await page.getByRole('button', { name: 'Good luck' }).click();
  await page.locator('.chat-log .mine', { hasText: 'Good luck' }).waitFor();
  await assertAccessible(page);
  await shoot(page, 'game-1280x800');

  await page.keyboard.press('ArrowLeft');
  await page.getByText('Earlier position').waitFor();
  await page.keyboard.press('End');

  await resign(page);
  await page.getByText('0-1').waitFor();
  await assertAccessible(page);
  await shoot(page, 'end-1280x800');
  const first = page.getByRole('button', { name: moves[1], exact: true }).first();
  await first.click();
  await page.getByRole('heading', { name: `Why 1… ${moves[1]}` }).waitFor();
  await page.getByText(/^From the book: |^Found by searching/).first().waitFor();
  await page.keyboard.press('ArrowRight');
  // The own move: what the position is made of, and perhaps that it left the book that the bot drew its answers from.
  await page.getByText(/static evaluation/i).first().waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('heading', { name: `Why 1… ${moves[1]}` }).waitFor();
  await assertAccessible(page);
  await shoot(page, 'why-1280x800');
  const pgn = await ask(page, '/game/export/ID', 'application/x-chess-pgn');
  assert.match(pgn, /\[Result "0-1"\]/);
  assert.match(pgn, /1\. e4 /);

  await page.getByRole('button', { name: 'Rematch' }).click();
  await page.waitForSelector('.orientation-black cg-board piece');
  await untilPlies(page, 1);
  await page.getByRole('button', { name: 'Abort' }).click();
  await page.getByRole('heading', { name: 'Aborted' }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test('a whole game by keyboard alone', async () => {
  const tablet = { viewport: { width: 768, height: 1024 }, colorScheme: 'dark' };
  const { page, context, complaints } = await visit(browser, sparring.url, tablet);
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  const tabTo = async (name) => {
    for (let i = 0; i < 60; i += 1) {
      if ((await focused()).trim() === name) return;
      await page.keyboard.press('Tab');
    }
    assert.fail(`${name} cannot be reached by Tab`);
  };
  const play = page.getByRole('button', { name: 'Play' });
  await until(() => play.isEnabled(), Boolean, 'the bot is there');
  await shoot(page, 'lobby-768x1024');
  for (const choice of ['White', CLOCK]) {
    await page.getByRole('radio', { name: choice }).focus();
    await page.keyboard.press('Space');
  }
  await page.evaluate(() => document.activeElement.blur());
  await tabTo('Play');
  await page.keyboard.press('Enter');
  await page.waitForSelector('cg-board piece');
  const entry = page.getByRole('textbox', { name: 'Type a move' });
  await entry.focus();
  for (const [i, move] of ['e4', 'g1f3'].entries()) {
    await until(async () => (await view(page)).turn, (turn) => turn === 'white', 'it is our turn', PATIENCE_MS);
    await page.keyboard.type(move);
    await page.keyboard.press('Enter');
    await untilPlies(page, 2 * i + 2);
  }
  const spoken = page.locator('.only-spoken[aria-live]');
  await until(() => spoken.textContent(), (line) => /Your turn/.test(line), 'the bot’s move is said');
  await assertAccessible(page);
  await shoot(page, 'game-768x1024');
  await page.evaluate(() => document.activeElement.blur());
  await tabTo('Resign');
  await page.keyboard.press('Enter');
  await page.locator('button.armed:not([aria-disabled])').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'You lost' }).waitFor();
  await tabTo('New game');
  await page.keyboard.press('Enter');
  await play.waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test('a game by touch on a small phone, as Black, over a reload and in two tabs', async () => {
  const phone = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true };
  const { page, context, complaints } = await visit(browser, sparring.url, phone);
  await page.getByRole('heading', { name: 'Play a game' }).waitFor();
  await shoot(page, 'lobby-360x640');
  await assertAccessible(page);
  await enterGame(page, 'Black');
  await untilPlies(page, 1);
  await page.waitForSelector('.orientation-black');
  const { legal } = await view(page);
  const { uci } = legal.find((move) => move.uci === 'g8f6') ?? legal[0];
  await tapSquares(page, uci.slice(0, 2), uci.slice(2, 4));
  const moves = await untilPlies(page, 3);

  for (const part of ['.bar.above .clock', '.bar.below .clock', '.board']) {
    const box = await page.locator(part).boundingBox();
    assert.ok(box.y >= 0 && box.y + box.height <= 640, `${part} is in sight without scrolling`);
  }
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 360), 'nothing sticks out to the side');
  await assertAccessible(page);
  await shoot(page, 'game-360x640');

  await page.reload();
  await untilPlies(page, 3);
  assert.deepEqual((await movesPlayed(page)).slice(0, 3), moves.slice(0, 3));
  const second = await context.newPage();
  await second.goto(page.url());
  await untilPlies(second, 3);
  await resign(second);
  await page.getByRole('heading', { name: 'You lost' }).waitFor();
  await page.locator('.result').scrollIntoViewIfNeeded();
  await shoot(page, 'end-360x640');
  assert.deepEqual(complaints, []);
  await context.close();
});

test('requests are answered in the chat, and a level that is asked for reaches the bot', async () => {
  const { page, context, complaints } = await visit(browser, sparring.url);
  const play = page.getByRole('button', { name: 'Play', exact: true });
  await until(() => play.isEnabled(), Boolean, 'the bot is there');
  await page.getByRole('slider').fill('1250');
  await enterGame(page, 'White');
  const said = (pattern) =>
    until(() => page.locator('.chat-log p').allTextContents(), (lines) => lines.some((line) => pattern.test(line)),
      `${pattern} is said`, PATIENCE_MS);
  await said(/^Sparring Hello .*level 1250/);
  await page.locator('.bar.above .who', { hasText: '1250' }).waitFor();
  await clickSquares(page, 'e2', 'e4');
  await untilPlies(page, 2);

  const clock = async () => (await page.locator('.bar.below .clock').textContent()).replace(':', '');
  const before = Number(await clock());
  await page.getByRole('button', { name: '+15 s' }).click();
  await said(/White \+ 15 seconds/);
  await until(async () => Number(await clock()), (now) => now > before, 'the clock has it');

  await page.getByRole('button', { name: 'Draw' }).click();
  const lines = () => page.locator('.chat-log p').allTextContents();
  const answer = ([...all]) => all.slice(all.indexOf('White offers draw') + 1).find((line) => line.startsWith('Sparring'));
  await said(/White offers draw/);
  await until(lines, answer, 'the bot says what it thinks of a draw', PATIENCE_MS);
  await page.getByRole('button', { name: 'Takeback' }).click();
  await said(/Takeback accepted/);
  await page.getByText('No moves yet.').waitFor();
  await clickSquares(page, 'd2', 'd4');
  await untilPlies(page, 2);
  await resign(page);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('who is chosen in the lobby plays, whatever was promised in the chat of an earlier game; a rematch keeps the promise', async () => {
  const { page, context, complaints } = await visit(browser, sparring.url);
  const who = page.locator('.bar.above .who');
  const said = (text) => page.locator('.chat-log p', { hasText: text }).first().waitFor();
  const later = async () => {
    await clickSquares(page, 'e2', 'e4');
    await untilPlies(page, 2);
    await clickSquares(page, 'a2', 'a3');
    await untilPlies(page, 4);
    await page.getByLabel('Say something').fill('!play attacker');
    await page.keyboard.press('Enter');
    await said('From our next casual game on you play Max');
    await resign(page);
  };
  await enterGame(page, 'White');
  await later();
  await page.getByRole('button', { name: 'New game' }).click();
  await enterGame(page, 'White');
  await said('I am Clara');
  assert.match(await who.textContent(), /^Clara/);
  await later();
  await page.getByRole('button', { name: 'Rematch' }).click();
  await page.waitForSelector('.orientation-black cg-board piece');
  await until(() => who.textContent(), (name) => name.startsWith('Max'), 'as promised');
  assert.deepEqual(complaints, []);
  await context.close();
});

test('a Chess960 game from the lobby to its PGN', async (t) => {
  const { page, context, complaints } = await visit(browser, sparring.url);
  await label(page, 'Chess960').click();
  await enterGame(page, 'White');
  for (const plies of [2, 4]) {
    await until(async () => (await view(page)).turn, (turn) => turn === 'white', 'it is our turn', PATIENCE_MS);
    const { legal } = await view(page);
    const { uci } = legal.find(({ san }) => /^[a-h][34]$/.test(san)) ?? legal[0];
    await clickSquares(page, uci.slice(0, 2), uci.slice(2, 4));
    await untilPlies(page, plies);
  }
  await resign(page);
  const pgn = await ask(page, '/game/export/ID', 'application/x-chess-pgn');
  assert.match(pgn, /\[Variant "Chess960"\]/);
  assert.match(pgn, /\[FEN "/);
  const read = 'import sys, chess.pgn; game = chess.pgn.read_game(sys.stdin); print(len(list(game.mainline_moves())), game.errors)';
  const python = spawnSync('python3', ['-c', read], { input: pgn, encoding: 'utf8' });
  if (python.status === 0) assert.equal(python.stdout.trim(), `${(await view(page)).moves.length} []`);
  else t.diagnostic('python-chess is not here: its opinion of the PGN was not asked');
  assert.deepEqual(complaints, []);
  await context.close();
});

test('another user of the machine is told what is missing, and gets no token, game or book', async () => {
  const [base, key] = sparring.url.split('#key=');
  const refused = async (path, init = {}) => {
    const answer = await fetch(new URL(path, base), init);
    assert.equal(answer.status, 403, path);
    const body = await answer.json();
    assert.equal(body.needs, 'key');
    assert.match(body.error, /open the address that the program printed in the terminal/);
  };
  for (const guess of [undefined, '', key.slice(1), '0'.repeat(key.length)]) {
    const headers = guess === undefined ? {} : { 'x-sandbox-key': guess };
    for (const path of ['/sandbox/lobby', '/reloads', `/sandbox/lobby?key=${key}`]) await refused(path, { headers });
    for (const path of ['/sandbox/guest', '/api/challenge/Sparring', '/api/token/test']) await refused(path, { method: 'POST', headers });
  }
  const expected = /status of 40[13]/;
  const { page, context, complaints } = await visit(browser, base, { expected });
  await page.getByRole('heading', { name: 'This page needs its key' }).waitFor();
  assert.match(await page.getByRole('alert').textContent(), /Open the address that the program printed in the terminal/);
  assert.equal(await page.evaluate(() => localStorage.getItem('sparring.guest')), null);
  await assertAccessible(page);
  await shoot(page, 'locked');

  // The whole address opened in another tab lets this one in too; the key is in no address any more, and outlasts reloads.
  const second = await context.newPage();
  await second.goto(sparring.url);
  const lobby = (tab) => tab.getByRole('heading', { name: 'Play a game' }).waitFor();
  await lobby(second);
  await lobby(page);
  assert.ok(!second.url().includes('key='), second.url());
  await second.reload();
  await lobby(second);
  await second.close();

  // A key of an earlier start is none, and the new address is enough for the tab that has it.
  await page.evaluate(() => {
    localStorage.setItem('sparring.key', JSON.stringify('0'.repeat(32)));
    localStorage.setItem('sparring.guest', JSON.stringify({ username: 'Guest1', token: 'lip_of_an_earlier_start' }));
  });
  await page.reload();
  await page.getByRole('heading', { name: 'This page needs its key' }).waitFor();
  await page.goto(sparring.url);
  await lobby(page);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('no request leaves the machine, because the policy forbids it', async () => {
  const { page, context, complaints } = await visit(browser, sparring.url, { expected: /Content Security Policy|Failed to fetch/ });
  const answer = await page.request.get(sparring.url);
  assert.match(answer.headers()['content-security-policy'], /^default-src 'self';/);
  await page.evaluate(async () => {
    globalThis.blocked = new Set();
    document.addEventListener('securitypolicyviolation', (event) => globalThis.blocked.add(event.effectiveDirective));
    const inline = document.createElement('script');
    inline.textContent = 'globalThis.ran = true';
    const image = document.createElement('img');
    image.src = 'http://127.0.0.2:9/x.png';
    const foreign = document.createElement('script');
    foreign.src = 'http://127.0.0.2:9/x.js';
    const frame = document.createElement('iframe');
    frame.src = 'http://127.0.0.2:9/';
    document.body.append(inline, image, foreign, frame);
    await fetch('http://127.0.0.2:9/').catch(() => undefined);
    document.body.setAttribute('onclick', 'globalThis.ran = true');
    document.body.click();
  });
  const blocked = () => page.evaluate(() => [...globalThis.blocked].sort().join());
  const all = 'connect-src,frame-src,img-src,script-src-attr,script-src-elem';
  await until(blocked, (found) => found === all, 'each of them was forbidden');
  assert.equal(await page.evaluate(() => globalThis.ran), undefined);
  // `visit` counts requests to other hosts: only the forbidden ones of this test may be there.
  assert.deepEqual(complaints.filter((line) => !line.includes('127.0.0.2')), []);
  await context.close();
});
