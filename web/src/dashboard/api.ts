// The daemon's own small API, as docs/dashboard.md shows it.
import type { Decisions } from '../why';
import type { Color } from '../model';

export interface Overview {
  readonly ok: boolean;
  readonly why: string | null;
  readonly user: string | null;
  readonly draining: boolean;
  readonly paused: boolean;
  readonly games: number;
  readonly slots: number | null;
  readonly asleep: number;
  readonly challenges: number;
  readonly version: string;
  readonly upMillis: number;
  readonly memoryBytes: number | null;
  readonly archive: boolean;
  readonly lostRows: number;
  readonly gates: readonly { readonly key: string; readonly until: number }[];
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

export type Wish = 'pause' | 'resume' | 'drain' | 'reload';

async function answer(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, { cache: 'no-store', ...init });
  if (response.ok) return response;
  const body = (await response.json().catch(() => null)) as { readonly error?: unknown } | null;
  throw new Error(typeof body?.error === 'string' ? body.error : `status ${response.status}`);
}

const read = async <T>(path: string): Promise<T> => (await (await answer(path)).json()) as T;

export const overview = (): Promise<Overview> => read('/api/overview');
export const games = async (query: URLSearchParams): Promise<readonly GameRow[]> =>
  (await read<{ games: readonly GameRow[] }>(`/api/games?${query}`)).games;
export const game = (id: string): Promise<GameDetail> => read(`/api/game/${encodeURIComponent(id)}`);
export const opponents = async (): Promise<readonly Opponent[]> =>
  (await read<{ opponents: readonly Opponent[] }>('/api/opponents')).opponents;
export const figures = (): Promise<Figures> => read('/api/figures');
export const wish = (name: Wish): Promise<Response> => answer(`/api/control/${name}`, { method: 'POST' });

/** Follow the running games until `left`; a line that breaks is opened again. */
export async function followLive(left: AbortSignal, line: (line: LiveLine) => void, open: (open: boolean) => void): Promise<void> {
  const PAUSE_MS = 2_000;
  while (!left.aborted) {
    try {
      const response = await answer('/api/live', { signal: left });
      open(true);
      for await (const value of lines(response)) line(JSON.parse(value) as LiveLine);
    } catch (error) {
      if (left.aborted) return;
      console.warn('the stream of boards broke:', (error as Error).message);
    }
    open(false);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

async function* lines(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let rest = '';
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    const parts = (rest + chunk.value).split('\n');
    rest = parts.pop() ?? '';
    yield* parts.filter((part) => part.trim() !== '');
  }
}
