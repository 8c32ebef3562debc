// A server that says exactly what a test tells it to: positions, accidents and manners that a real one has by luck only.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const DIST = new URL('../dist/', import.meta.url);
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
const POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self'; frame-ancestors 'none'";
export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
export const ME = 'guest-test';

const LOBBY = {
  bot: { username: 'Sparring', online: true },
  personalities: [
    { name: 'club', title: 'The Club Player', about: 'Sees simple tactics.', level: 1500 },
    { name: 'attacker', title: 'The Attacker', about: 'Gives pawns for open lines.', level: 1800 },
    { name: 'full', title: 'Full Strength', about: 'No handicap.', level: null },
  ],
  levels: { min: 600, max: 2600, step: 50, note: 'measured against engines, not against people' },
  default: 'club',
};

export class ScriptedServer {
  /** What the page asked for, as `POST /path body`; streams and reads of the position are left out. */
  asked = [];
  /** When the last of them came, on the clock of `performance.now()`. */
  lastAskedAt = 0;
  lobby = LOBBY;
  /** Games that run. */
  playing = [];
  chat = [];
  /** Books and personalities that were read again, the newest first. */
  reloads = [];
  /** Why the bot moved as it did. */
  why = { leftBook: null, decisions: [] };
  pgn = '[Event "Test"]\n\n*\n';
  /** Answers to moves: a status, and how often it is given before moves are taken. */
  moveTrouble = { status: 0, times: 0 };
  /** `accept` or the reason of a refusal. */
  challenges = 'accept';
  #streams = new Set();
  #events = new Set();
  #server = createServer((request, response) => void this.#answer(request, response));

  constructor(game = {}) {
    this.game = {
      full: {
        type: 'gameFull',
        id: 'game0001',
        variant: { key: 'standard', name: 'Standard' },
        rated: false,
        initialFen: 'startpos',
        white: { id: ME, name: ME, title: null },
        black: { id: 'sparring', name: 'Sparring', title: 'BOT' },
        clock: { initial: 300_000, increment: 3_000 },
      },
      state: {
        type: 'gameState',
        moves: '',
        wtime: 300_000,
        btime: 300_000,
        winc: 3_000,
        binc: 3_000,
        status: 'started',
      },
      view: {
        initialFen: START,
        moves: [],
        fen: START,
        turn: 'white',
        check: false,
        dests: {},
        legal: [],
        status: 'started',
        reason: 'White to move.',
      },
    };
    this.change(game);
  }

  async start(port = 0) {
    await new Promise((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return `http://127.0.0.1:${this.#server.address().port}/`;
  }

  /** Gone like a killed process: no connection survives. */
  async stop() {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  /** Change parts of the game without telling anybody. */
  change({ full = {}, state = {}, view = {} }) {
    Object.assign(this.game.full, full);
    Object.assign(this.game.state, state);
    Object.assign(this.game.view, view);
    this.game.state.moves = this.game.view.moves.map(({ uci }) => uci).join(' ');
  }

  /** Change the game and tell the page, as a move of either side does. */
  tell(changes) {
    this.change(changes);
    this.send(this.game.state);
    if (this.game.state.status !== 'started') this.dropStreams();
  }

  send(line) {
    for (const stream of this.#streams) stream.write(`${JSON.stringify(line)}\n`);
  }

  say(username, text) {
    this.chat.push({ user: username, text });
    this.send({ type: 'chatLine', room: 'player', username, text });
  }

  dropStreams() {
    for (const stream of this.#streams) stream.end();
    this.#streams.clear();
  }

  async #answer(request, response) {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { pathname } = new URL(request.url, 'http://localhost');
    const json = (value, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    const stream = (open) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write('\n');
      open.add(response);
      response.on('close', () => open.delete(response));
    };
    const form = body && ` ${decodeURIComponent(body.replaceAll('+', ' '))}`;
    if (request.method === 'POST') {
      this.asked.push(decodeURIComponent(pathname) + form);
      this.lastAskedAt = performance.now();
    }

    const { id } = this.game.full;
    const game = `/api/board/game/${id}/`;
    if (pathname === '/sandbox/guest') return json({ username: ME, token: 'lip_test' });
    if (pathname === '/sandbox/lobby') return json(this.lobby);
    if (pathname === '/reloads') return json({ reloads: this.reloads });
    if (pathname === `/sandbox/game/${id}/view`) return json(this.game.view);
    if (pathname === `/sandbox/game/${id}/decisions`) return json(this.why);
    if (pathname === '/api/account/playing') return json({ nowPlaying: this.playing });
    if (pathname === '/api/stream/event') return stream(this.#events);
    if (pathname.startsWith('/api/challenge/')) {
      json({ id, status: 'created' });
      const answer =
        this.challenges === 'accept'
          ? { type: 'gameStart', game: { gameId: id, id } }
          : { type: 'challengeDeclined', challenge: { id, declineReason: this.challenges } };
      for (const open of this.#events) open.write(`${JSON.stringify(answer)}\n`);
      return;
    }
    if (pathname === `/api/board/game/stream/${id}`) {
      this.dropStreams(); // As lichess: the newer stream of a player ends the older one.
      stream(this.#streams);
      return this.send({ ...this.game.full, state: this.game.state });
    }
    if (pathname === `${game}chat` && request.method === 'GET') return json(this.chat);
    if (pathname.startsWith(`${game}move/`) && this.moveTrouble.times-- > 0) {
      return json({ error: 'trouble as ordered' }, this.moveTrouble.status);
    }
    if (pathname.startsWith(game) || pathname === `/sandbox/game/${id}/more-time`) return json({ ok: true });
    if (pathname === `/game/export/${id}`) return response.end(this.pgn);
    return this.#file(pathname === '/' ? 'index.html' : pathname.slice(1), response, json);
  }

  async #file(name, response, json) {
    try {
      const content = await readFile(new URL(name, DIST));
      response.writeHead(200, { 'content-type': TYPES[name.split('.').pop()], 'content-security-policy': POLICY });
      response.end(content);
    } catch {
      json({ error: 'Not found' }, 404);
    }
  }
}
