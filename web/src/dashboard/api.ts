// The daemon's API; see docs/operate.md.
import type { Decisions } from '../why';
import type { Color } from '../model';
import { follow } from '../stream';

export interface Overview {
  readonly ok: boolean;
  readonly why: string | null;
  /** A problem that does not make the daemon unhealthy. */
  readonly note: string | null;
  readonly user: string | null;
  readonly draining: boolean;
  readonly paused: boolean;
  readonly games: number;
  readonly slots: number | null;
  readonly asleep: number;
  /** Challenges that wait for a slot. */
  readonly waiting: number;
  readonly challenges: number;
  readonly version: string;
  readonly upMillis: number;
  readonly memoryBytes: number | null;
  readonly archive: boolean;
  readonly lostRows: number;
  readonly gates: readonly { readonly key: string; readonly until: number }[];
  /** The level of casual games that was set here. */
  readonly casualLevel: number | null;
  readonly levels: { readonly min: number; readonly max: number };
  /** Whether books and personalities can be edited in the browser. */
  readonly edit: boolean;
  /** Whether the controls are enabled. */
  readonly controls: boolean;
}

/** A running game; times are milliseconds, as they were `sinceMillis` before the line was sent. */
export interface Board {
  readonly type: 'board';
  readonly id: string;
  readonly opponent: string;
  readonly rating: number | null;
  readonly bot: boolean;
  readonly side: Color;
  readonly variant: string;
  readonly speed: string;
  readonly rated: boolean;
  readonly personality: string;
  readonly level: number | null;
  readonly fen: string;
  readonly last: string | null;
  readonly plies: number;
  readonly clocks: { readonly mine: number; readonly theirs: number } | null;
  readonly sinceMillis: number;
}

export type LiveLine = Board | { readonly type: 'gone'; readonly id: string } | { readonly type: 'all' };

export interface GameRow {
  readonly id: string;
  readonly began: number;
  readonly side: Color;
  readonly opponent: string | null;
  readonly name: string;
  readonly bot: boolean;
  readonly rating: number | null;
  readonly rated: boolean;
  readonly variant: string;
  readonly speed: string;
  readonly personality: string;
  readonly level: number | null;
  readonly result: string;
  readonly status: string | null;
  readonly moves: string | null;
}

/** Games in order, and after which one the next page begins; none on the last page. */
export interface GamePage {
  readonly games: readonly GameRow[];
  readonly next: string | null;
}

export interface GameDetail extends GameRow {
  readonly start: string;
  readonly line: readonly { readonly uci: string; readonly san: string; readonly fen: string }[];
  /** `null` while the game runs. */
  readonly decisions: Decisions | null;
}

export interface Opponent {
  readonly name: string;
  readonly id: string | null;
  readonly bot: boolean;
  readonly rating: number | null;
  readonly games: number;
  readonly won: number;
  readonly drawn: number;
  readonly lost: number;
  readonly last: number | null;
}

export interface Group {
  readonly name: string;
  readonly games: number;
  readonly won: number;
  readonly drawn: number;
  readonly lost: number;
  readonly score: number;
  readonly error: number | null;
  readonly expected: number | null;
}

export interface Figures {
  readonly bySpeed: readonly Group[];
  readonly byPersonality: readonly Group[];
  readonly ratings: Readonly<Record<string, readonly { readonly at: number; readonly rating: number }[]>>;
}

/** The score of a book move, in points per game. */
export interface BookMove {
  readonly after: string;
  readonly move: string;
  readonly at: string;
  readonly games: number;
  readonly score: number;
  readonly expected: number;
  readonly surplus: number;
  readonly weight: number;
}

export interface BookScores {
  readonly name: string;
  readonly title: string | null;
  readonly path: string;
  readonly lines: number;
  readonly positions: number;
  readonly followed: number;
  /** The share of all games that followed it. */
  readonly hits: number | null;
  /** Moves of the bot from it, in a game that followed it. */
  readonly depth: number | null;
  readonly moves: readonly BookMove[];
  readonly more: number;
}

export interface Level {
  readonly level: number;
  /** Position in the table of levels, from 0 (weakest) to 1 (strongest). */
  readonly place: number;
  readonly nodes: number | null;
  readonly bookPlies: number | null;
  readonly people: number | null;
  readonly sharpness: number | null;
  /** Share of moves with a blunder check, from 0 to 1. */
  readonly vigilance: number | null;
  readonly margin: number | null;
}

export interface PlayedLevel {
  readonly level: number;
  readonly games: number;
  readonly score: number;
  readonly opponents: number;
  readonly performance: number;
  readonly low: number | null;
  readonly high: number | null;
}

export interface Levels {
  readonly note: string;
  readonly levels: readonly Level[];
  readonly played: readonly PlayedLevel[];
}

export interface Warning {
  readonly at: number;
  readonly severity: 'warning' | 'error';
  readonly text: string;
  readonly game: string | null;
  readonly count: number;
}

/** A reload of a book or personality. */
export interface Reload {
  readonly number: number;
  readonly at: number;
  /** Whether the new version is in use. */
  readonly good: boolean;
  readonly text: string;
}

export type Wish = 'pause' | 'resume' | 'drain' | 'reload';

const answer = async (path: string, init: RequestInit = {}): Promise<Response> =>
  checked(await fetch(path, { cache: 'no-store', ...init }));

async function checked(response: Response): Promise<Response> {
  if (response.ok) return response;
  const body = (await response.json().catch(() => null)) as { readonly error?: unknown } | null;
  throw new Error(typeof body?.error === 'string' ? body.error : `status ${response.status}`);
}

/** Timeout of a request. */
const PATIENCE_MS = 10_000;
/** Retries after a response with Retry-After. */
const TRIES = 5;

async function read<T>(path: string): Promise<T> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  for (let left = TRIES; ; left--) {
    const response = await fetch(path, { cache: 'no-store', signal });
    const wait = Number(response.headers.get('retry-after')) * 1_000;
    if (response.status !== 503 || !wait || left === 0) return (await (await checked(response)).json()) as T;
    await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random() / 2)));
  }
}

export const overview = (): Promise<Overview> => read('/api/overview');
export const games = (query: Readonly<Record<string, string>>): Promise<GamePage> =>
  read(`/api/games?${new URLSearchParams(query)}`);
export const game = (id: string): Promise<GameDetail> => read(`/api/game/${encodeURIComponent(id)}`);
export const opponents = async (): Promise<readonly Opponent[]> =>
  (await read<{ opponents: readonly Opponent[] }>('/api/opponents')).opponents;
export const figures = (): Promise<Figures> => read('/api/figures');
export const books = (): Promise<{ readonly games: number; readonly books: readonly BookScores[] }> => read('/api/books');
export const levels = (): Promise<Levels> => read('/api/levels');
export const warnings = async (): Promise<readonly Warning[]> =>
  (await read<{ warnings: readonly Warning[] }>('/api/warnings')).warnings;
export const reloads = async (): Promise<readonly Reload[]> =>
  (await read<{ reloads: readonly Reload[] }>('/reloads')).reloads;
export const setLevel = (level: number | null): Promise<Response> =>
  answer('/api/control/level', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ level }) });
export const wish = (name: Wish): Promise<Response> => answer(`/api/control/${name}`, { method: 'POST' });

/** Follows the running games until `left`; reconnects a broken or silent stream. */
export function followLive(left: AbortSignal, line: (line: LiveLine) => void, connection: (open: boolean) => void = () => undefined): void {
  const sink = { line: (value: unknown) => (line(value as LiveLine), false), connection, refused: () => connection(false) };
  left.addEventListener('abort', follow('/api/live', sink, answer));
}
