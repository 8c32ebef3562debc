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
  leftBook: { ply: 3, at: 'books/starter.book:41', note: 'King’s Pawn' },
  decisions: [
    {
      ply: 1, san: 'e4', from: 'book', note: 'book', tookMillis: 1_840, clockMillis: 180_000, depth: null, nodes: null, search: null,
      book: { at: 'books/starter.book:41', note: 'King’s Pawn', moves: [{ san: 'e4', chance: 0.6 }, { san: 'd4', chance: 0.4 }] },
    },
    {
      ply: 3, san: 'Nf3', from: 'search', note: 'engine', tookMillis: 2_310, clockMillis: 177_000, depth: 6, nodes: 9_000, book: null,
      search: {
        lines: [{ score: { cp: 20 }, san: ['Nf3', 'Nc6'] }, { score: { cp: 95 }, san: ['Qh5', 'Ke7'] }],
        people: { rating: 1_400, chance: 0.231, corrected: false },
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
    ok: true, why: null, user: 'sparring', draining: false, paused: false, games: 1, slots: 4, asleep: 0, challenges: 12,
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

  tell(line) {
    for (const stream of this.#streams) stream.write(`${JSON.stringify(line)}\n`);
  }

  async #answer(request, response) {
    const { pathname } = new URL(request.url, 'http://localhost');
    const json = (value, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    if (request.method === 'POST') {
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
    if (pathname === '/api/overview') return json(this.overview);
    if (pathname === '/api/games') return json({ games: this.games });
    if (pathname === '/api/game/abcd1234') return json(this.game);
    if (pathname === '/api/opponents') return json({ opponents: this.opponents });
    if (pathname === '/api/figures') return json(this.figures);
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
