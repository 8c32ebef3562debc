// A daemon that says exactly what a test tells it to: the dashboard's calls with answers of its choice.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const DIST = new URL('../dist/', import.meta.url);
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
const POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const board = (id, changes = {}) => ({
  type: 'board', id, opponent: 'Ana', rating: 1512, bot: false, side: 'white', variant: 'standard', speed: 'blitz', rated: true,
  personality: 'club', level: null, fen: 'r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3', last: 'f1c4',
  plies: 5, clocks: { mine: 171_000, theirs: 168_500 }, sinceMillis: 0, ...changes,
});

const LINE = [
  { uci: 'e2e4', san: 'e4', fen: 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1' },
  { uci: 'e7e5', san: 'e5', fen: 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2' },
  { uci: 'g1f3', san: 'Nf3', fen: 'rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2' },
];

export const row = (id, changes = {}) => ({
  id, began: 1_795_000_000_000, side: 'white', opponent: 'ana', name: 'Ana', bot: false, rating: 1512, rated: true,
  variant: 'standard', speed: 'blitz', personality: 'club', level: 1500, result: 'won', status: 'resign',
  moves: 'e2e4 e7e5 g1f3', ...changes,
});

const DECISIONS = {
  leftBook: {
    ply: 2, by: 'opponent', at: 'books/starter.book:41', note: 'King’s Pawn',
    plan: [
      { san: 'c5', chance: 0.7, at: 'books/starter.book:42', note: null, then: ['Nf3', 'd6', 'd4'] },
      { san: 'e6', chance: 0.3, at: 'books/starter.book:43', note: null, then: [] },
    ],
  },
  evaluation: {
    terms: ['material and squares', 'pawn structure', 'mobility', 'piece placement', 'king safety', 'passed pawns', 'threats', 'space', 'driving a bare king', 'the move'],
    after: [
      { total: 21, own: [4071, 4, -30, 0, 12, 0, 0, 31, 0, 0], theirs: [4038, 6, -55, 0, 21, 0, 0, 29, 0, 28], named: [0, 2] },
      { not: 'capture' },
      { total: 17, own: [4102, 4, 10, 0, -33, 80, 0, 31, 0, 0], theirs: [4088, 4, 2, 0, 12, 0, 0, 43, 0, 28], named: [5, 4, 0, 7] },
    ],
  },
  edit: true,
  decisions: [
    {
      ply: 1, san: 'e4', from: 'book', note: 'book', tookMillis: 1_840, clockMillis: 180_000, depth: null, nodes: null, search: null,
      book: { at: 'books/starter.book:41', note: 'King’s Pawn', moves: [{ san: 'e4', chance: 0.6 }, { san: 'd4', chance: 0.4 }] },
    },
    {
      ply: 3, san: 'Nf3', from: 'search', note: 'engine', tookMillis: 2_310, clockMillis: 177_000, depth: 6, nodes: 9_000, book: null,
      search: {
        lines: [{ score: { cp: 20 }, san: ['Nf3', 'Nc6'] }, { score: { cp: 95 }, san: ['Qh5', 'Ke7'] }],
        people: { rating: 1_400, chance: 0.231, corrected: false, style: { chance: 0.08, axes: ['attack', 'risk'] }, likeliest: [{ san: 'Nf3', prior: 0.4, chance: 0.231 }, { san: 'Nc3', prior: 0.11, chance: 0.11 }] },
      },
    },
  ],
};

const group = (name, games, score, expected) =>
  ({ name, games, won: Math.round(games * score), drawn: 0, lost: games - Math.round(games * score), score, error: 0.08, expected });

export class ScriptedDaemon {
  /** Wishes that were asked for. */
  wishes = [];
  overview = {
    ok: true, why: null, user: 'sparring', draining: false, paused: false, games: 1, slots: 4, asleep: 0, waiting: 2, challenges: 12,
    casualLevel: null, levels: { min: 600, max: 2800 }, edit: true, controls: true,
    version: '0.1.0', upMillis: 7_200_000, memoryBytes: 91_000_000, archive: true, lostRows: 0, gates: [],
  };
  boards = [];
  games = [row('abcd1234'), row('efgh5678', { result: 'lost', side: 'black', name: 'Boris', opponent: 'boris', bot: true })];
  game = { ...row('abcd1234'), start: 'startpos', line: LINE, decisions: DECISIONS };
  opponents = [{ name: 'Ana', id: 'ana', bot: false, rating: 1512, games: 3, won: 2, drawn: 0, lost: 1, last: 1_795_000_000_000 }];
  figures = {
    bySpeed: [group('blitz', 120, 0.55, 0.5), group('rapid', 31, 0.42, null)],
    byPersonality: [group('club', 151, 0.52, 0.5)],
    ratings: { blitz: Array.from({ length: 40 }, (_, i) => ({ at: 1_790_000_000_000 + i * 86_400_000, rating: 1500 + Math.round(40 * Math.sin(i / 5)) })) },
  };
  warnings = [
    { at: 1_795_000_000_000, severity: 'warning', text: 'no event stream after 4 tries: connection refused', game: null, count: 3 },
    { at: 1_794_999_000_000, severity: 'error', text: 'the move was refused twice', game: 'abcd1234', count: 1 },
  ];
  reloads = [
    { number: 2, at: 1_795_000_000_000, good: false, text: 'book kept as it was, the new books/mine.book has mistakes:\nbooks/mine.book:3:7: error: "e9" is not a move' },
    { number: 1, at: 1_794_999_000_000, good: true, text: 'book reloaded, 412 lines: books/main.book' },
  ];
  books = {
    games: 151,
    books: [
      { name: 'starter', title: null, path: 'books/starter.book', lines: 40, positions: 310, followed: 0, hits: 0, depth: null, moves: [], more: 0 },
      { name: 'main', title: 'Main lines', path: 'books/main.book', lines: 412, positions: 3_100, followed: 120, hits: 0.795, depth: 5.2, more: 7,
        moves: [
          { after: '1. e4 e5', move: 'Nf3', at: 'books/main.book:41', games: 30, score: 0.4, expected: 0.5, surplus: -3, weight: 100 },
          { after: '', move: 'e4', at: 'books/main.book:4', games: 60, score: 0.55, expected: 0.5, surplus: 3, weight: 60 },
        ] },
    ],
  };
  levels = {
    note: 'measured against engines, not against people',
    levels: [600, 1000, 1400, 1800, 2200, 2600, 2800].map((level, i) => ({
      level, place: i / 6, nodes: i < 3 ? null : 1_000 * i, bookPlies: i === 6 ? null : 4 * i + 2,
      people: i === 6 ? null : 800 + 200 * i, sharpness: i === 6 ? null : 0.8 + i / 5, vigilance: i < 3 || i === 6 ? null : 0.3 + i / 10, margin: i < 3 || i === 6 ? null : 40 - 6 * i,
    })),
    played: [
      { level: 1000, games: 40, score: 0.55, opponents: 1_010, performance: 1_045, low: 930, high: 1_160 },
      { level: 1500, games: 90, score: 0.48, opponents: 1_530, performance: 1_516, low: 1_440, high: 1_592 },
      { level: 2000, games: 1, score: 1, opponents: 1_900, performance: 2_698, low: null, high: null },
    ],
  };
  /** How often it was asked how it is. */
  looks = 0;
  /** Calls that are never answered. */
  silent = [];
  #streams = new Set();
  #server = createServer((request, response) => void this.#answer(request, response));

  async start(port = 0) {
    await new Promise((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return `http://127.0.0.1:${this.#server.address().port}/`;
  }

  async stop() {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  dropStreams() {
    for (const stream of this.#streams) stream.end();
  }

  tell(line) {
    for (const stream of this.#streams) stream.write(`${JSON.stringify(line)}\n`);
  }

  async #answer(request, response) {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    const json = (value, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    if (this.silent.includes(pathname)) return;
    if (request.method === 'POST') {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (pathname === '/api/control/level') {
        this.overview.casualLevel = JSON.parse(body).level;
        this.wishes.push(`level ${this.overview.casualLevel}`);
        return json({ ok: true });
      }
      this.wishes.push(pathname.split('/').pop());
      this.overview.paused = pathname.endsWith('/pause');
      return json({ ok: true });
    }
    if (pathname === '/api/live') {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      this.#streams.add(response);
      response.on('close', () => this.#streams.delete(response));
      for (const line of [{ type: 'all' }, ...this.boards]) response.write(`${JSON.stringify(line)}\n`);
      return;
    }
    if (pathname === '/api/overview') {
      this.looks += 1;
      return json(this.overview);
    }
    if (pathname === '/api/games') {
      const from = this.games.findIndex(({ id }) => id === searchParams.get('after')) + 1;
      const games = this.games.slice(from, from + (Number(searchParams.get('most')) || this.games.length));
      return json({ games, next: from + games.length < this.games.length ? games.at(-1).id : null });
    }
    if (pathname === '/api/game/abcd1234') return json(this.game);
    if (pathname === '/api/opponents') return json({ opponents: this.opponents });
    if (pathname === '/api/figures') return json(this.figures);
    if (pathname === '/api/books') return json(this.books);
    if (pathname === '/api/levels') return json(this.levels);
    if (pathname === '/reloads') return json({ reloads: this.reloads });
    if (pathname === '/api/warnings') return json({ warnings: this.warnings });
    try {
      const name = pathname === '/' ? 'dashboard.html' : pathname.slice(1);
      const content = await readFile(new URL(name, DIST));
      response.writeHead(200, { 'content-type': TYPES[name.split('.').pop()], 'content-security-policy': POLICY });
      response.end(content);
    } catch {
      json({ error: 'Not found' }, 404);
    }
  }
}
