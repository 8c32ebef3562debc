// The page against a scripted server: every situation that a real game brings only now and then.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, clickSquares, drag, shoot, square, until } from './browser.mjs';
import {
  AFTER_E5, E4, E5, G1F3, KNIGHT_MOVES, KNIGHT_PLAYED, MY_MOVE, askedFor, marked, movesAsked, onBoard, pieceAt, untilMarked, untilPieceAt, visitor,
} from './scene.mjs';
import { ME, ScriptedServer, START } from './scripted.mjs';

for (const [color, fen, from, to] of [
  ['white', '8/P6k/8/8/8/8/8/K7 w - - 0 1', 'a7', 'a8'],
  ['black', '8/7k/8/8/8/8/p7/7K b - - 0 1', 'a2', 'a1'],
]) {
  const legal = ['q', 'n', 'r', 'b'].map((role) => ({ uci: from + to + role, san: `${to}=${role.toUpperCase()}` }));
  const me = { id: ME, name: ME };
  const bot = { id: 'sparring', name: 'Sparring', title: 'BOT' };
  const game = {
    full: { initialFen: fen, ...(color === 'white' ? { white: me, black: bot } : { white: bot, black: me }) },
    view: { initialFen: fen, fen, turn: color, dests: { [from]: [to] }, legal },
  };
  for (const [role, name] of [['q', 'queen'], ['n', 'knight'], ['r', 'rook'], ['b', 'bishop']]) {
    test(`${color} promotes to a ${name}`, () =>
      onBoard(game, async ({ page, server }) => {
        if (name === 'knight') await page.keyboard.press('f');
        await clickSquares(page, from, to);
        await page.waitForSelector('.promotion');
        if (name === 'queen') await shoot(page, `promotion-${color}`);
        const [queen, pawn] = [await page.locator('.promotion button').first().boundingBox(), await square(page, to)];
        assert.ok(Math.abs(queen.y + queen.height / 2 - pawn.y) < 5, 'the queen is where the pawn arrives');
        await page.click(`.promotion button[aria-label="${name}"]`);
        await askedFor(server, `/move/${from}${to}${role}`);
      }));
  }
  test(`a promotion that ${color} breaks off puts the pawn back`, () =>
    onBoard(game, async ({ page, server }) => {
      await clickSquares(page, from, to);
      await page.waitForSelector('.promotion');
      await page.keyboard.press('Escape');
      await untilPieceAt(page, from, `${color} pawn`);
      await drag(page, from, to);
      await page.waitForSelector('.promotion');
      const { x, y } = await square(page, 'e4');
      await page.mouse.click(x, y);
      await untilPieceAt(page, from, `${color} pawn`);
      assert.deepEqual(movesAsked(server), []);
    }));
}

test('an illegal drop snaps back, and a typed illegal move says why', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    await drag(page, 'g1', 'g4');
    await untilPieceAt(page, 'g1', 'white knight');
    await page.fill('.entry input', 'Qh5');
    await page.keyboard.press('Enter');
    await page.getByText('“Qh5” is not a legal move here.').waitFor();
    assert.deepEqual(movesAsked(server), []);
  }));

test('a move that the server refuses is taken back on the board, with its words', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    server.moveTrouble = { status: 400, times: 1 };
    await clickSquares(page, 'g1', 'f3');
    await page.getByText('The server refused the move: trouble as ordered').waitFor();
    await untilPieceAt(page, 'g1', 'white knight');
  }, { expected: /400/ }));

test('looking back does not jump when the bot moves', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    await page.keyboard.press('Home');
    await untilPieceAt(page, 'e2', 'white pawn');
    await untilMarked(page, 'last-move');
    server.tell(KNIGHT_PLAYED);
    await page.getByText('A move was played').waitFor();
    assert.equal(await pieceAt(page, 'e2'), 'white pawn');
    await page.keyboard.press('ArrowRight');
    await untilPieceAt(page, 'e4', 'white pawn');
    await page.getByRole('button', { name: 'Back to the game' }).click();
    await page.getByText('A move was played').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'e4', exact: true }).click();
    await page.getByText('Earlier position').waitFor();
  }));

test('a move typed while looking back is seen when it is played', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    await page.keyboard.press('Home');
    await page.getByText('Earlier position').waitFor();
    await page.fill('.entry input', 'Nf3');
    await page.keyboard.press('Enter');
    await askedFor(server, '/move/g1f3');
    await page.getByText('Earlier position').waitFor({ state: 'hidden' });
  }));

test('offers can be answered, and own offers wait', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    await page.getByRole('button', { name: 'Draw' }).click();
    await askedFor(server, '/draw/yes');
    server.tell({ state: { wdraw: true } });
    await page.getByRole('button', { name: 'Offered' }).waitFor();
    server.tell({ state: { wdraw: false, bdraw: true, btakeback: true } });
    await page.getByText('Sparring offers a draw.').waitFor();
    await page.getByText('Sparring asks to take a move back.').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Decline' }).first().click();
    await askedFor(server, '/draw/no');
    await page.getByRole('button', { name: 'Accept' }).last().click();
    await askedFor(server, '/takeback/yes');
    server.tell({
      state: { bdraw: false, btakeback: false },
      view: { moves: [], fen: START, turn: 'white', ...KNIGHT_MOVES },
    });
    await untilPieceAt(page, 'e2', 'white pawn');
    await page.getByText('No moves yet.').waitFor();
  }));

test('a move that is taken back while it is looked at leaves a board that can be played on', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    await page.keyboard.press('ArrowLeft');
    await page.getByText('Earlier position').waitFor();
    server.tell({ view: { moves: [], fen: START, turn: 'white', ...KNIGHT_MOVES } });
    await page.getByText('No moves yet.').waitFor();
    await page.locator('.past').waitFor({ state: 'hidden' });
    await clickSquares(page, 'g1', 'f3');
    await askedFor(server, '/move/g1f3');
  }));

test('a draw that was declined is offered no more, unless the answer did not arrive', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    const question = page.getByText('Sparring offers a draw.');
    const decline = page.getByRole('button', { name: 'Decline' });
    await page.route('**/draw/no', (route) => route.fulfill({ status: 503 }), { times: 1 });
    server.tell({ state: { bdraw: true } });
    await decline.click();
    await page.getByText('That did not work: status 503').waitFor();
    assert.ok(await question.isVisible());
    await decline.click();
    await question.waitFor({ state: 'hidden' });
  }, { expected: /503/ }));

for (const [what, button, flag] of [['draw', 'Draw', 'wdraw'], ['takeback', 'Takeback', 'wtakeback']]) {
  test(`a ${what} that cannot be asked for again yet says so, and one that was heard does not`, () =>
    onBoard(MY_MOVE, async ({ page, server }) => {
      await page.clock.install();
      await page.reload();
      await page.waitForSelector('cg-board piece');
      await page.clock.pauseAt(Date.now() + 5_000);
      const notYet = page.getByText('The server does not take that now.');
      const ask = async () => {
        const answered = page.waitForResponse(`**/${what}/yes`);
        await page.getByRole('button', { name: button }).click();
        await (await answered).finished();
      };
      await ask();
      server.tell({ state: { [flag]: true } });
      await page.getByRole('button', { name: 'Offered' }).waitFor();
      for (let i = 0; i < 6; i += 1) await page.clock.runFor(500);
      assert.equal(await notYet.isVisible(), false);
      server.tell({ state: { [flag]: false } });
      await page.getByRole('button', { name: 'Offered' }).waitFor({ state: 'hidden' });
      await ask();
      const later = () => page.clock.runFor(500).then(() => notYet.isVisible());
      await until(later, Boolean, 'nothing came of it');
    }));
}

test('an opponent who left can be beaten by claim', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    server.send({ type: 'opponentGone', gone: true, claimWinInSeconds: 1 });
    await page.getByText('Sparring left. You can claim the win in 1 s.').waitFor();
    await page.getByRole('button', { name: 'Claim the win' }).click();
    await askedFor(server, '/claim-victory');
    server.send({ type: 'opponentGone', gone: false });
    await page.getByRole('button', { name: 'Claim the win' }).waitFor({ state: 'hidden' });
  }));

test('Chess960: castling is a king on its own rook, by click and by drag, and shows where both land', () => {
  const initialFen = '1r4kr/pppppppp/8/8/8/8/PPPPPPPP/1R4KR w HBhb - 0 1';
  const castled = '1r4kr/pppppppp/8/8/8/8/PPPPPPPP/1R3RK1 b hb - 1 1';
  const legal = [{ uci: 'g1b1', san: 'O-O-O' }, { uci: 'g1h1', san: 'O-O' }];
  const view = { initialFen, fen: initialFen, turn: 'white', dests: { g1: ['b1', 'h1'] }, legal };
  const full = { initialFen, variant: { key: 'chess960', name: 'Chess960' } };
  return onBoard({ full, view }, async ({ page, server }) => {
    await clickSquares(page, 'g1', 'h1');
    await askedFor(server, '/move/g1h1');
    server.tell({ view: { moves: [{ uci: 'g1h1', san: 'O-O', fen: castled }], fen: castled, turn: 'black', dests: {}, legal: [] } });
    await page.getByRole('button', { name: 'O-O', exact: true }).waitFor();
    await untilMarked(page, 'last-move', 'g1'); // The king stays where it stood; a square is marked once.
    await untilPieceAt(page, 'f1', 'white rook');
    server.tell({ view: { ...view, moves: [] } });
    await until(() => page.title(), (title) => title.startsWith('Your turn'), 'the move is taken back');
    await drag(page, 'g1', 'b1');
    await askedFor(server, '/move/g1b1');
    await untilPieceAt(page, 'c1', 'white king');
    await untilPieceAt(page, 'd1', 'white rook');
  });
});

test('castling that is written as king takes rook marks the squares of the king', () =>
  onBoard({}, async ({ page, server }) => {
    const fen = 'rnbqk2r/ppppppbp/5np1/8/8/5NP1/PPPPPPBP/RNBQ1RK1 b kq - 0 4';
    server.tell({ view: { moves: [{ uci: 'e1h1', san: 'O-O', fen }], fen, turn: 'black' } });
    await untilMarked(page, 'last-move', 'e1', 'g1');
  }));

test('a check is marked, and mate ends the game with all that belongs to it', () =>
  onBoard(MY_MOVE, async ({ page, server, context, url }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(url).origin });
    const fen = 'rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3';
    server.tell({
      state: { status: 'mate', winner: 'black' },
      view: {
        ...KNIGHT_PLAYED.view,
        moves: [...KNIGHT_PLAYED.view.moves, { uci: 'd8h4', san: 'Qh4#', fen }],
        fen,
        turn: 'white',
        check: true,
        status: 'mate',
        reason: 'Black mated.',
      },
    });
    await page.getByRole('heading', { name: 'You lost' }).waitFor();
    await page.getByText('0-1').waitFor();
    await page.getByText('Black mated', { exact: true }).waitFor();
    await untilMarked(page, 'check', 'e1');
    const spoken = page.locator('.only-spoken[aria-live]');
    await until(() => spoken.textContent(), (line) => /queen h4, checkmate.*You lost/.test(line), 'it is said aloud');
    const [board, result] = [await page.locator('.board').boundingBox(), await page.locator('.result').boundingBox()];
    assert.ok(result.x >= board.x + board.width, 'the board stays in sight');
    await page.getByRole('button', { name: 'Copy PGN' }).click();
    await page.getByText('Copied').waitFor();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^\[Event/);
    await page.getByRole('button', { name: 'Copy FEN' }).click();
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await until(clipboard, (text) => text === fen, 'the FEN is copied');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save PGN' }).click();
    const download = await saved;
    assert.equal(download.suggestedFilename(), 'sparring-game0001.pgn');
    assert.equal(await page.getByRole('button', { name: 'Resign' }).count(), 0);
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Rematch' }).click();
    await askedFor(server, 'color=black');
  }));

test('a PGN that cannot be had says so, whether it is copied or saved', () =>
  onBoard({ ...MY_MOVE, state: { status: 'resign', winner: 'white' } }, async ({ page }) => {
    for (const [status, button] of [[502, 'Copy PGN'], [503, 'Save PGN']]) {
      await page.route('**/game/export/**', (route) => route.fulfill({ status }), { times: 1 });
      await page.getByRole('button', { name: button }).click();
      await page.getByText(`That did not work: status ${status}`).waitFor();
    }
  }, { expected: /50[23]/ }));

test('chat is said, kept over a reload, and muted', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    await page.getByRole('button', { name: 'Good luck' }).click();
    await askedFor(server, 'room=player&text=Good luck');
    server.say(ME, 'Good luck');
    server.say('Sparring', 'Thanks');
    await page.getByText('Thanks').first().waitFor();
    await page.reload();
    await until(() => page.locator('.chat-log p').allTextContents(), (lines) => lines.length === 2, 'the lines are back');
    await page.getByLabel('Mute').check();
    await page.getByText('The chat is muted.').waitFor();
    assert.equal(await page.locator('.chat-log').getByText('Thanks').count(), 0);
    const heard = () => page.locator('.chat-log p').allTextContents();
    await page.getByRole('button', { name: 'Draw' }).click();
    await askedFor(server, '/draw/yes');
    for (const [who, line] of [['lichess', 'White offers draw'], ['Sparring', 'I play on.'], ['Sparring', 'Nice weather.']]) server.say(who, line);
    const answer = ['The chat is muted.', 'White offers draw', 'Sparring I play on.'];
    await until(heard, (lines) => lines.join() === answer.join(), 'the answer to what was asked, and no more');
    await page.getByLabel('Say something').fill('!level 900');
    await page.keyboard.press('Enter');
    await askedFor(server, '!level 900');
    server.say(ME, '!level 900');
    server.say('Sparring', 'This game goes on as it began.');
    await until(heard, (lines) => lines[1] === 'Sparring This game goes on as it began.', 'and of the next question');
  }));

test('a line that could not be sent is in the field again, and does not replace the next one', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    const field = page.getByLabel('Say something');
    const typed = () => field.inputValue();
    let failing = [];
    await page.route('**/chat', (route) => (route.request().method() === 'POST' ? failing.push(route) : route.continue()));
    const failed = page.getByText('That did not work: status 503');
    const say = async (line) => {
      failing = [];
      await field.fill(line);
      await field.press('Enter');
      await until(() => failing.length, (count) => count === 1, 'it is sent');
      assert.equal(await typed(), '');
    };
    await say('Good game, and thanks');
    await failing[0].fulfill({ status: 503 });
    await until(typed, (line) => line === 'Good game, and thanks', 'the line is back');
    await failed.waitFor();
    await say('Good game');
    await field.fill('Again?');
    const answered = page.waitForResponse('**/chat');
    await failing[0].fulfill({ status: 503 });
    await (await answered).finished();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    assert.equal(await typed(), 'Again?');
    await page.unroute('**/chat');
    await field.press('Enter');
    await askedFor(server, 'text=Again?');
    assert.equal(await typed(), '');
  }, { expected: /503/ }));

test('a screen reader hears each line of the chat once', () =>
  onBoard(MY_MOVE, async ({ page, server }) => {
    await page.getByText('Nothing was said yet.').waitFor();
    await page.evaluate(() => {
      globalThis.added = [];
      new MutationObserver((all) => globalThis.added.push(...all.flatMap(({ addedNodes }) => [...addedNodes].map((node) => node.textContent))))
        .observe(document.querySelector('.chat-log'), { childList: true });
    });
    for (const line of ['one', 'two', 'two', 'three']) server.say('Sparring', line);
    await page.getByText('three').waitFor();
    assert.deepEqual((await page.evaluate(() => globalThis.added)).filter(Boolean), ['one', 'two', 'two', 'three'].map((line) => `Sparring ${line}`));
    await page.getByLabel('Mute').check();
    await page.getByText('The chat is muted.').waitFor();
    await page.getByLabel('Mute').uncheck();
    await until(() => page.locator('.chat-log p').count(), (count) => count === 4, 'all lines are back');
  }));

test('the clock of the side to move runs, with tenths when time is short, and stops at zero', () =>
  onBoard({ ...MY_MOVE, state: { wtime: 1_200, btime: 250_000 } }, async ({ page }) => {
    assert.match(await page.locator('.bar.below .clock').textContent(), /^0:0[01]\.\d$/);
    assert.equal(await page.locator('.bar.above .clock').textContent(), '4:10');
    await until(() => page.locator('.bar.below .clock').textContent(), (text) => text === '0:00.0', 'time runs out');
    assert.equal(await page.locator('.bar.above .clock').textContent(), '4:10');
  }));

test('somebody else’s game says so', async () => {
  const server = new ScriptedServer();
  const url = await server.start();
  const { page, context } = await visitor(`${url}#/game/another1`, { expected: /404/ });
  await page.getByText('This game is not here, or it is not yours.').waitFor();
  await page.getByRole('link', { name: 'To the lobby' }).click();
  await page.getByRole('button', { name: 'Play' }).waitFor();
  await context.close();
  await server.stop();
});

test('one click on Play is enough for a first game', async () => {
  const server = new ScriptedServer();
  const { page, context, complaints } = await visitor(await server.start());
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.waitForSelector('cg-board piece');
  const asked = '/api/challenge/Sparring rated=false&color=random&variant=standard&clock.limit=300&clock.increment=3';
  // The default is asked for too: an earlier game may have ended in a promise of somebody else.
  const wish = '/api/board/game/game0001/chat room=player&text=!play club';
  assert.deepEqual(server.asked.filter((line) => !line.startsWith('/sandbox')), [asked, wish]);
  assert.deepEqual(complaints, []);
  await context.close();
  await server.stop();
});

test('an unlimited game is asked for without a clock, and Play stays in sight below the cards', async () => {
  const server = new ScriptedServer();
  const { page, context } = await visitor(await server.start(), { viewport: { width: 360, height: 640 } });
  await page.locator('label', { hasText: 'Unlimited' }).click();
  await page.locator('label', { hasText: 'Chess960' }).click();
  const { y } = await page.getByRole('button', { name: 'Play', exact: true }).boundingBox();
  assert.ok(y >= 0 && y < 200, `Play is at ${y}`);
  await page.getByText(/no clock · random colour · Chess960/).waitFor();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.waitForSelector('cg-board piece');
  const [challenge] = server.asked.filter((line) => line.startsWith('/api/challenge'));
  assert.equal(challenge, '/api/challenge/Sparring rated=false&color=random&variant=chess960');
  await context.close();
  await server.stop();
});

test('the lobby asks for what was chosen and remembers it', async () => {
  const server = new ScriptedServer();
  const url = await server.start();
  const { page, context, complaints } = await visitor(url);
  await page.getByText('The Club Player, level 1500 · 5+3 blitz · random colour').waitFor();
  await page.locator('label', { hasText: 'The Attacker' }).click();
  await page.getByRole('slider').fill('1400');
  await page.locator('label', { hasText: '3+2' }).click();
  await page.locator('label', { hasText: 'White' }).click();
  await page.getByText('The Attacker, level 1400 · 3+2 blitz · you are White').waitFor();
  await page.reload();
  await page.getByText('The Attacker, level 1400 · 3+2 blitz · you are White').waitFor();
  await page.getByRole('button', { name: 'Play' }).click();
  await page.waitForSelector('cg-board piece');
  assert.deepEqual(
    server.asked.filter((line) => !line.startsWith('/sandbox')),
    [
      '/api/challenge/Sparring rated=false&color=white&variant=standard&clock.limit=180&clock.increment=2',
      '/api/board/game/game0001/chat room=player&text=!play attacker',
      '/api/board/game/game0001/chat room=player&text=!level 1400',
    ],
  );
  assert.deepEqual(complaints, []);
  await context.close();
  await server.stop();
});

test('the lobby follows what is saved and played elsewhere, and leaves the choice and the cursor alone', async () => {
  const server = new ScriptedServer();
  const { page, context, complaints } = await visitor(await server.start());
  await page.getByText('The Club Player, level 1500').waitFor();
  await page.locator('label', { hasText: '3+2' }).click();
  server.playing = [{ gameId: 'game0001', opponent: { username: 'Sparring' } }];
  await page.getByRole('link', { name: 'Continue' }).waitFor();
  const [club, ...rest] = server.lobby.personalities;
  server.lobby = { ...server.lobby, personalities: [{ ...club, title: 'Clara', level: 1450 }, ...rest] };
  await page.getByText('Clara, level 1450 · 3+2 blitz').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.closest('label')?.innerText.split('\n')[0]), '3+2');
  server.playing = [];
  server.lobby = { ...server.lobby, personalities: [...rest, { name: 'new', title: 'The Newcomer', about: '', level: 700 }] };
  await page.getByText('The Newcomer').waitFor();
  await page.getByRole('link', { name: 'Continue' }).waitFor({ state: 'hidden' });
  await page.getByText('The Attacker, level 1800 · 3+2 blitz').waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
  await server.stop();
});

test('a program that is gone is missed in the lobby, not the bot, and its return is noticed', async () => {
  const server = new ScriptedServer();
  const url = await server.start();
  const { page, context } = await visitor(url);
  const play = page.getByRole('button', { name: 'Play', exact: true });
  await until(() => play.isEnabled(), Boolean, 'the bot is there');
  server.challenges = 'Not now.';
  await play.click();
  await page.getByText('Declined: Not now.').waitFor();
  await server.stop();
  await page.getByText('Connection lost. Trying again…').waitFor();
  assert.ok(await play.isDisabled());
  await server.start(Number(new URL(url).port));
  await until(() => play.isEnabled(), Boolean, 'it is back');
  await page.getByText('Connection lost').waitFor({ state: 'hidden' });
  await page.route('**/api/stream/event', (route) => route.abort());
  await play.click();
  await page.getByText('Connection lost. Trying again…').waitFor();
  await context.close();
  await server.stop();
});

test('a declined challenge shows the reason, and a bot that is away is waited for', async () => {
  const server = new ScriptedServer();
  server.lobby = { ...server.lobby, bot: { username: 'Sparring', online: false } };
  server.challenges = 'I am only taking slower games.';
  const url = await server.start();
  const { page, context } = await visitor(url);
  await page.getByText('Sparring is not connected yet.').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Play' }).isDisabled());
  server.lobby = { ...server.lobby, bot: { username: 'Sparring', online: true } };
  await page.getByRole('button', { name: 'Play' }).click();
  await page.getByText('Declined: I am only taking slower games.').waitFor();
  await assertAccessible(page);
  await context.close();
  await server.stop();
});
