// The pure parts of the page: reading typed moves, speaking, writing clocks, and folding what a stream tells into a game.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build } from 'esbuild';

/** A module of the page as this process can run it. */
async function load(path) {
  const { outputFiles } = await build({ entryPoints: [path], bundle: true, format: 'esm', write: false });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const { findMove } = await load('src/game/entry.ts');
const { spokenMove, spokenTime } = await load('src/game/speech.ts');
const { clockText, timeLeft } = await load('src/game/clock.ts');
const { advantage } = await load('src/game/material.ts');
const { checksLeft, pieces, pocket, squaresOf } = await load('src/fen.ts');
const { VARIANTS, traits } = await load('src/variants.ts');
const { ofMove } = await load('src/game/sounds.ts');
const { opponent } = await load('src/game/opponent.ts');
const { apply, look, newGame, offers } = await load('src/game/state.ts');
const { noteEnd, scoreAgainst } = await load('src/history.ts');
const { clockName, speedName } = await load('src/lobby/setup.ts');

test('a move is understood as people write it', () => {
  const legal = [
    { uci: 'g1f3', san: 'Nf3' }, { uci: 'e4d5', san: 'exd5' }, { uci: 'e1g1', san: 'O-O' }, { uci: 'b2c3', san: 'bxc3' },
    { uci: 'b4c3', san: 'Bxc3+' }, { uci: 'a7a8q', san: 'a8=Q' }, { uci: 'a7a8n', san: 'a8=N' },
  ];
  const view = { legal, dests: { e1: ['g1', 'h1'] } };
  const cases = {
    e1h1: 'e1h1',
    Nf3: 'g1f3', nf3: 'g1f3', ' g1f3 ': 'g1f3', G1F3: 'g1f3', ed5: 'e4d5', 'exd5!?': 'e4d5', '0-0': 'e1g1', 'o-o': 'e1g1',
    bxc3: 'b2c3', Bxc3: 'b4c3', 'Bc3+': 'b4c3', a8Q: 'a7a8q', 'a8=N': 'a7a8n', a7a8n: 'a7a8n',
  };
  for (const [typed, uci] of Object.entries(cases)) assert.deepEqual(findMove(typed, view), { uci }, typed);
  assert.match(findMove('Qh9', view).problem, /“Qh9” is not a legal move/);
  assert.match(findMove('BC3', view).problem, /bxc3 or Bxc3\+/);
});

test('a move is spoken in words', () => {
  assert.equal(spokenMove('Nxf3+'), 'knight takes f3, check');
  assert.equal(spokenMove('e4'), 'e4');
  assert.equal(spokenMove('exd8=Q#'), 'e takes d8 promotes to queen, checkmate');
  assert.equal(spokenMove('R1a3'), 'rook 1 a3');
  assert.equal(spokenMove('Nbd7'), 'knight b d7');
  assert.equal(spokenMove('O-O-O'), 'castles long');
  assert.equal(spokenMove('N@f3+'), 'knight dropped on f3, check');
  assert.equal(spokenMove('@e4'), 'pawn dropped on e4');
  assert.equal(spokenMove('b8=K'), 'b8 promotes to king');
  assert.equal(spokenTime(250_900), '4 minutes 10 seconds');
  assert.equal(spokenTime(60_000), '1 minute');
});

test('clocks show tenths only when they matter, and hours when there are some', () => {
  assert.equal(clockText(300_000), '5:00');
  assert.equal(clockText(299_999), '4:59');
  assert.equal(clockText(10_000), '0:10');
  assert.equal(clockText(9_990), '0:09.9');
  assert.equal(clockText(0), '0:00.0');
  assert.equal(clockText(3_725_000), '1:02:05');
});

test('time controls carry the names that lichess gives them', () => {
  assert.equal(clockName({ limit: 180, increment: 2 }), '3+2');
  assert.deepEqual(
    [[60, 0], [180, 2], [300, 3], [600, 0], [900, 10], [1800, 20]].map(([limit, increment]) => speedName({ limit, increment })),
    ['Bullet', 'Blitz', 'Blitz', 'Rapid', 'Rapid', 'Classical'],
  );
});

test('a clock is reckoned from the server’s word and never below zero, so five minutes drift by nothing', () => {
  const game = {
    me: 'me', full: { initialFen: 'startpos', clock: { initial: 600_000, increment: 0 } }, stateAt: 1_000,
    state: { status: 'started', moves: 'e2e4 e7e5', wtime: 400_000, btime: 350_000 },
  };
  assert.equal(timeLeft(game, 'white', 301_000), 100_000);
  assert.equal(timeLeft(game, 'black', 301_000), 350_000);
  assert.equal(timeLeft(game, 'white', 9_999_999), 0);
  assert.equal(timeLeft({ ...game, full: { ...game.full, clock: null } }, 'white', 0), null);
});

test('material is counted for each side, and equal trades cancel out', () => {
  const fen = '4k3/8/8/8/8/8/PP6/R3K2N b - - 0 1';
  assert.deepEqual(advantage(fen, 'white'), { extra: ['r', 'n', 'p', 'p'], points: 10 });
  assert.deepEqual(advantage(fen, 'black'), { extra: [], points: -10 });
  assert.deepEqual(advantage('', 'white'), { extra: [], points: 0 });
});

test('a FEN of a variant tells pockets and checks left, and promoted pieces are pieces', () => {
  const crazy = 'r~nbqkbnr/8/8/8/8/8/8/4K3[QPPn] w - - 0 9';
  assert.deepEqual([...pocket(crazy, 'white')], [['q', 1], ['p', 2]]);
  assert.deepEqual([...pocket(crazy, 'black')], [['n', 1]]);
  assert.deepEqual([pieces(crazy).get('a8'), pieces(crazy).get('b8'), pieces(crazy).size], ['r', 'n', 9]);
  assert.deepEqual([...pocket('4k3/8/8/8/8/8/8/4K3 w - - 0 1', 'white')], []);
  const three = '4k3/8/8/8/8/8/8/4K3 w - - 1+3 0 1';
  assert.deepEqual([checksLeft(three, 'white'), checksLeft(three, 'black')], [1, 3]);
  assert.equal(checksLeft(crazy, 'white'), null);
  assert.deepEqual([squaresOf('e2e4'), squaresOf('e7e8q'), squaresOf('N@f3')], [['e2', 'e4'], ['e7', 'e8'], ['f3']]);
});

test('every variant of the lobby has a name, and one with no rules of its own is shown as chess', async () => {
  const { text } = await load('src/text.ts');
  for (const variant of VARIANTS) assert.ok(text.variants[variant], variant);
  assert.deepEqual(traits('chess960'), traits(undefined));
  assert.equal(traits('crazyhouse').pockets, true);
});

test('a drop is understood in both notations, whatever the case', () => {
  const view = { legal: [{ uci: 'N@f3', san: 'N@f3' }, { uci: 'P@e4', san: '@e4' }, { uci: 'e2e4', san: 'e4' }], dests: { e2: ['e4'] } };
  const cases = { 'N@f3': 'N@f3', 'n@f3': 'N@f3', '@e4': 'P@e4', 'P@e4': 'P@e4', 'p@e4': 'P@e4', e4: 'e2e4' };
  for (const [typed, uci] of Object.entries(cases)) assert.deepEqual(findMove(typed, view), { uci }, typed);
});

test('the sound of a move is that of its weightiest part: check, then capture', () => {
  assert.deepEqual(['Nf3', 'O-O', 'exd5', 'Qxf7+', 'Qh4#'].map(ofMove), ['move', 'move', 'capture', 'check', 'check']);
});

test('who the bot is follows what we ask for and what it answers', () => {
  const lobby = {
    bot: { username: 'Sparring' }, default: 'club', levels: { min: 600, max: 2800 },
    personalities: [{ name: 'club', title: 'Clara', level: 1500 }, { name: 'attacker', title: 'Max', level: 1900 }],
  };
  const seen = (...lines) => {
    const chat = lines.map((line) => (line.startsWith('!') ? { user: 'Guest1', text: line } : { user: 'Sparring', text: line }));
    const game = { me: 'guest1', chat, full: { white: { id: 'guest1', name: 'Guest1' }, black: { id: 'sparring', name: 'Sparring' } } };
    const { name, level, next } = opponent(game, lobby);
    then = [next.name, next.asked];
    return [name, level];
  };
  let then;
  const agreed = (level) => `From my next move on I play at level ${level}.`;
  const later = 'This game goes on as it began. From our next casual game on I play at level 900.';
  assert.deepEqual(seen(), ['club', 1500]);
  assert.deepEqual(seen('!level 1800'), ['club', 1800]);
  assert.deepEqual(seen('!level 1'), ['club', 1500]);
  assert.deepEqual(seen('!easier', agreed(1400)), ['club', 1400]);
  assert.deepEqual(seen('!strength club', agreed(1400), '!harder', agreed(1500)), ['club', 1500]);
  assert.deepEqual(seen('!level 1800', agreed(1800), '!level 900', later), ['club', 1800]);
  assert.deepEqual(then, ['club', 900], 'what was promised for the next game');
  assert.deepEqual(seen('!level 1800', agreed(1800), '!easier', later), ['club', 1800]);
  const laterMax = 'This game goes on as it began. From our next casual game on you play Max.';
  assert.deepEqual(seen('!play attacker', laterMax, '!level 900', later), ['club', 1500]);
  assert.deepEqual(then, ['attacker', 900]);
  assert.deepEqual(seen('!level 900', later, '!play attacker', laterMax), ['club', 1500]);
  assert.deepEqual(then, ['attacker', null], 'a personality comes at its own strength');
  assert.deepEqual(seen('!level 1800', agreed(1800)), ['club', 1800]);
  assert.deepEqual(then, ['club', 1800], 'nothing was promised: as it was');
  assert.deepEqual(seen('!play attacker', 'Rated games keep my strength as it is. From our next casual game on you play Max.'), ['club', 1500]);
  assert.deepEqual(then, ['attacker', null]);
  for (const no of ['Here I play at levels from 1000 to 1600.', 'My strength is not to be chosen here.']) {
    assert.deepEqual(seen('!level 1800', no), ['club', 1500], no);
  }
  assert.deepEqual(seen('!play attacker', 'From my next move on you play Max.', agreed(2000)), ['attacker', 2000]);
});

/** A game of ours as White, and what makes the stream tell of a state. */
function ourGame(moves) {
  const game = newGame('game0001', 'me');
  const state = (changes) => ({ type: 'gameState', status: 'started', wtime: 60_000, btime: 60_000, ...changes });
  const full = { type: 'gameFull', initialFen: 'startpos', white: { id: 'me' }, black: { id: 'sparring' }, state: state({ moves }) };
  apply(game, full, 0);
  game.view = { moves: moves.split(' ').map((uci) => ({ uci })) };
  return { game, tell: (changes) => apply(game, state(changes), 0), reconnect: (changes) => apply(game, { ...full, state: state(changes) }, 0) };
}

test('whoever looks back at a move that is then taken back is in the game again, and others stay where they look', () => {
  const looking = (at, moves) => {
    const { game, tell } = ourGame('e2e4 e7e5 g1f3');
    look(game, at);
    tell({ moves });
    return [game.looking, game.news];
  };
  assert.deepEqual(looking(2, 'e2e4'), [null, false], 'behind the end');
  assert.deepEqual(looking(1, 'e2e4'), [null, false], 'at the end');
  assert.deepEqual(looking(0, 'e2e4'), [0, true]);
  assert.deepEqual(looking(2, 'e2e4 e7e5 g1f3 b8c6'), [2, true]);
});

test('the move that declines a draw ends the offer, though its own state still shows it', () => {
  const { game, tell, reconnect } = ourGame('e2e4 e7e5 g1f3');
  const standing = () => [offers(game, 'draw', 'white'), offers(game, 'draw', 'black')];
  const moves = 'e2e4 e7e5 g1f3 b8c6';
  tell({ moves: 'e2e4 e7e5 g1f3', wdraw: true });
  assert.deepEqual(standing(), [true, false]);
  tell({ moves, wdraw: true, bdraw: true });
  assert.deepEqual(standing(), [false, true], 'whoever moved may have offered with the move');
  tell({ moves, wdraw: true, bdraw: true });
  assert.deepEqual(standing(), [true, true], 'an offer that comes after the move');
  tell({ moves: 'e2e4 e7e5', wdraw: true });
  assert.deepEqual(standing(), [true, false], 'a takeback declines nothing');
  reconnect({ moves, wdraw: true });
  assert.deepEqual(standing(), [true, false], 'what a stream begins with is not the state of a move');
});

test('whoever opens an old game again has still ended the newer one last', () => {
  const kept = new Map();
  globalThis.localStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  noteEnd('game0001', 'club', 'lost');
  noteEnd('game0002', 'club', 'won');
  noteEnd('game0001', 'club', 'lost');
  assert.deepEqual(scoreAgainst('club'), { won: 1, lost: 1, drawn: 0, last: 'won' });
  noteEnd('game0001', 'club', 'drawn');
  assert.deepEqual(scoreAgainst('club'), { won: 1, lost: 0, drawn: 1, last: 'won' });
});
