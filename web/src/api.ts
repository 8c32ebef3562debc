// Requests to the page's own server, and the guest account that makes them.
import type { Challenge, Lobby, RunningGame, Setup, ReloadEvent, View } from './model';
import type { Decisions } from './why';
import { keyed, needsKey } from './key';
import { forget, isRecord, recall, remember } from './storage';

/** An error response; `status` 0 means that the server could not be reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export interface Guest {
  readonly username: string;
  readonly token: string;
}

type Form = Readonly<Record<string, string>>;

const isGuest = (value: unknown): value is Guest =>
  isRecord(value) && typeof value['username'] === 'string' && typeof value['token'] === 'string';

let known: Promise<Guest> | null = null;

/** The guest account: the remembered one, or a new one. */
export function guest(): Promise<Guest> {
  known ??= enter().catch((error: unknown) => {
    known = null;
    throw error;
  });
  return known;
}

async function enter(): Promise<Guest> {
  const remembered = recall('guest', isGuest);
  if (remembered) return remembered;
  const answer: unknown = await (await send('/sandbox/guest', { method: 'POST' })).json();
  if (!isGuest(answer)) throw new ApiError(200, 'the server gave no guest name');
  remember('guest', answer);
  return answer;
}

/** Drop a token that the server no longer knows, unless another call has already replaced it. */
async function renounce(token: string): Promise<void> {
  if ((await guest()).token !== token) return;
  forget('guest');
  known = null;
}

/** A request as the guest; repeated once as a new guest if the server no longer knows this one. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const { token } = await guest();
  try {
    return await send(path, authorized(init, token));
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    await renounce(token);
    return send(path, authorized(init, (await guest()).token));
  }
}

function authorized(init: RequestInit, token: string): RequestInit {
  const headers = new Headers(init.headers);
  headers.set('Authorization', `Bearer ${token}`);
  if (!headers.has('Accept')) headers.set('Accept', 'application/json');
  return { ...init, headers };
}

async function send(path: string, init: RequestInit): Promise<Response> {
  let response;
  try {
    response = await fetch(path, { cache: 'no-store', ...init, headers: keyed(init.headers) });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, 'the server was not reached');
  }
  if (!response.ok) throw new ApiError(response.status, await complaint(response));
  return response;
}

let locked = () => {};
/** Called when the server asks for a key that this page does not have. */
export const whenLocked = (then: () => void): void => void (locked = then);

/** The server's error text, from `{"error": "text"}` or `{"error": {"field": ["text"]}}`; else the status. */
async function complaint(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null);
  if (needsKey(response.status, body)) locked();
  const error = isRecord(body) ? body['error'] : null;
  if (typeof error === 'string') return error;
  if (isRecord(error)) return Object.values(error).flat().join(', ');
  return `status ${response.status}`;
}

const path = (parts: TemplateStringsArray, ...values: string[]): string =>
  String.raw(parts, ...values.map(encodeURIComponent));

async function read<T>(where: string): Promise<T> {
  return (await (await request(where)).json()) as T;
}

async function post(where: string, form: Form = {}): Promise<Response> {
  return request(where, { method: 'POST', body: new URLSearchParams(form) });
}

export const lobby = (): Promise<Lobby> => read('/sandbox/lobby');
/** The latest reloads of books and personalities, newest first. */
export const reloads = async (): Promise<readonly ReloadEvent[]> =>
  (await read<{ reloads: readonly ReloadEvent[] }>('/reloads')).reloads;
export const view = (id: string): Promise<View> => read(path`/sandbox/game/${id}/view`);

/** The explanations of a finished game's moves. */
export const decisions = (id: string): Promise<Decisions> => read(path`/sandbox/game/${id}/decisions`);

export async function playing(): Promise<readonly RunningGame[]> {
  return (await read<{ nowPlaying: readonly RunningGame[] }>('/api/account/playing')).nowPlaying;
}

export async function challenge(bot: string, setup: Setup): Promise<Challenge> {
  const form: Record<string, string> = { rated: 'false', color: setup.color, variant: setup.variant };
  if (setup.clock) {
    form['clock.limit'] = String(setup.clock.limit);
    form['clock.increment'] = String(setup.clock.increment);
  }
  const answer = (await (await post(path`/api/challenge/${bot}`, form)).json()) as Challenge & {
    readonly challenge?: Challenge;
  };
  // Older servers wrap the challenge in an object.
  return answer.challenge ?? answer;
}

export const cancelChallenge = (id: string) => post(path`/api/challenge/${id}/cancel`);
export const move = (id: string, uci: string) => post(path`/api/board/game/${id}/move/${uci}`);
export const say = (id: string, text: string) => post(path`/api/board/game/${id}/chat`, { room: 'player', text });

export type Command =
  | 'resign'
  | 'abort'
  | 'draw/yes'
  | 'draw/no'
  | 'takeback/yes'
  | 'takeback/no'
  | 'claim-victory';

export const command = (id: string, name: Command) => post(path`/api/board/game/${id}/` + name);

/** Gives the player 15 s. A call of the sandbox only: on lichess only the opponent can give time. */
export const moreTime = (id: string) => post(path`/sandbox/game/${id}/more-time`);

export const chat = (id: string): Promise<readonly { user: string; text: string }[]> =>
  read(path`/api/board/game/${id}/chat`);

export async function pgn(id: string): Promise<string> {
  const headers = { Accept: 'application/x-chess-pgn' };
  return (await request(path`/game/export/${id}`, { headers })).text();
}
