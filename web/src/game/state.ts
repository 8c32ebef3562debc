// All that is known about the game on the screen, and how a line of the stream changes it.
import type { Color, GameEvent, GameFull, GameState, Lobby, Player, View } from '../model';
import { isRunning, opposite } from '../model';
import { isRecord } from '../storage';
import { sideSeen, traits, type Traits } from '../variants';
import type { Decisions } from '../why';

export interface Said {
  readonly user: string;
  readonly text: string;
}

export interface Game {
  readonly id: string;
  /** Our user id: lower case, as lichess compares names. */
  readonly me: string;
  /** Who can be played here; `null` until the server has said. */
  lobby: Lobby | null;
  full: GameFull | null;
  state: GameState | null;
  /** When `state` was sent, on the clock of `performance.now()`. */
  stateAt: number;
  /** The newest position fetched; it can be a move behind or ahead of `state`. */
  view: View | null;
  /** The ply looked back at; `null` follows the game. */
  looking: number | null;
  /** Something happened in the game while the player looked back. */
  news: boolean;
  chat: readonly Said[];
  /** Why the bot moved as it did; `null` until the game is over and the server has said. */
  why: Decisions | null;
  open: boolean;
  flipped: boolean;
  /** Our move on its way to the server, until the position shows it. */
  sent: { readonly ply: number; readonly uci: string } | null;
  /** The opponent is away, and when (on `performance.now()`) the win can be claimed. */
  claimAt: number | null;
}

export const newGame = (id: string, me: string): Game => ({
  id,
  me: me.toLowerCase(),
  lobby: null,
  full: null,
  state: null,
  stateAt: 0,
  view: null,
  looking: null,
  news: false,
  chat: [],
  why: null,
  open: true,
  flipped: false,
  sent: null,
  claimAt: null,
});

const KINDS = ['gameFull', 'gameState', 'chatLine', 'opponentGone'];

/** The event in a decoded line; kinds that this page does not know are `null`. */
export const asEvent = (value: unknown): GameEvent | null =>
  isRecord(value) && KINDS.includes(String(value['type'])) ? (value as unknown as GameEvent) : null;

/** Fold one event into the game. `at` is when it was sent, on the clock of `performance.now()`. */
export function apply(game: Game, event: GameEvent, at: number): void {
  switch (event.type) {
    case 'gameFull':
      game.full = event;
      return applyState(game, event.state, at);
    case 'gameState': {
      const before = plies(game);
      applyState(game, event, at);
      // The state of a move still shows the draw offer that the move declines, and no other state follows.
      if (plies(game) > before) dropDrawOffer(game, turn(game));
      return;
    }
    case 'chatLine':
      if (event.room === 'player') game.chat = [...game.chat, { user: event.username, text: event.text }];
      return;
    case 'opponentGone':
      game.claimAt = event.gone ? at + (event.claimWinInSeconds ?? 0) * 1000 : null;
  }
}

function applyState(game: Game, state: GameState, at: number): void {
  const isNews = game.state?.moves !== state.moves;
  game.state = state;
  game.stateAt = at;
  if (!isNews) return;
  game.claimAt = null; // Whoever moves is back.
  // A takeback can undo the very moves that were looked back at.
  if (game.looking !== null && game.looking >= plies(game)) game.looking = null;
  game.news = game.looking !== null;
}

/** Half moves played, as the stream tells. */
export const plies = ({ state }: Game): number => (state?.moves ? state.moves.split(' ').length : 0);

/** Our colour; `null` when we only watch. */
export function myColor({ full, me }: Game): Color | null {
  if (full?.white.id?.toLowerCase() === me) return 'white';
  return full?.black.id?.toLowerCase() === me ? 'black' : null;
}

/** What the game's variant is like. */
export const rules = ({ full }: Game): Traits => traits(full?.variant.key);

/** The side below the board. */
export const below = (game: Game): Color => {
  const color = myColor(game) ?? 'white';
  return game.flipped ? opposite(color) : color;
};

/** The side from which the board is seen. */
export function orientation(game: Game): Color {
  const seen = sideSeen(game.full?.variant.key, myColor(game) ?? 'white');
  return game.flipped ? opposite(seen) : seen;
}

export function turn(game: Game): Color {
  const first: Color = game.full?.initialFen.split(' ')[1] === 'b' ? 'black' : 'white';
  return plies(game) % 2 === 0 ? first : opposite(first);
}

export const isOver = ({ state }: Game): boolean => state !== null && !isRunning(state.status);

/** Does the fetched position belong to the newest state? */
export const isCurrent = (game: Game): boolean => game.view?.moves.length === plies(game);

/** May we move a piece now, or prepare a move? */
export const isPlaying = (game: Game): boolean => myColor(game) !== null && game.state !== null && !isOver(game);

export const isMyTurn = (game: Game): boolean =>
  isPlaying(game) && isCurrent(game) && game.sent === null && game.view?.turn === myColor(game);

export const player = ({ full }: Game, color: Color): Player | undefined => full?.[color];

export const playerName = (game: Game, color: Color): string => {
  const who = player(game, color);
  return who?.name ?? (who?.aiLevel ? `AI level ${who.aiLevel}` : 'Anonymous');
};

/** An offer on the table, by the colour that made it. */
export function offers(game: Game, what: 'draw' | 'takeback', color: Color): boolean {
  const state = game.state;
  if (!state || isOver(game)) return false;
  if (what === 'draw') return (color === 'white' ? state.wdraw : state.bdraw) ?? false;
  return (color === 'white' ? state.wtakeback : state.btakeback) ?? false;
}

/** The draw offer of a side stands no more; the server sends no state for that. */
export function dropDrawOffer(game: Game, color: Color): void {
  if (game.state) game.state = { ...game.state, [color === 'white' ? 'wdraw' : 'bdraw']: false };
}

const START_FEN = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

/** What the board shows: a ply, its position, and the move that led there. */
export interface Shown {
  readonly ply: number;
  readonly fen: string;
  readonly live: boolean;
  readonly move: { readonly uci: string; readonly san: string } | null;
}

export function shown({ view, looking }: Game): Shown | null {
  if (!view) return null;
  const ply = Math.min(looking ?? view.moves.length, view.moves.length);
  const move = view.moves[ply - 1] ?? null;
  const initial = view.initialFen === 'startpos' ? START_FEN : view.initialFen;
  const live = ply === view.moves.length;
  return { ply, live, move, fen: live ? view.fen : (move?.fen ?? initial) };
}

/** Look at the position after `ply`; the last one is the game itself. */
export function look(game: Game, ply: number): void {
  const last = game.view?.moves.length ?? 0;
  game.looking = ply >= last ? null : Math.max(ply, 0);
  if (game.looking === null) game.news = false;
}
