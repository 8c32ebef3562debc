// Types of the lichess board API as far as this page reads it, and of the sandbox's own calls.

export type Color = 'white' | 'black';

export const opposite = (color: Color): Color => (color === 'white' ? 'black' : 'white');

/** Game status by name: `created` and `started` are running, everything else is over. */
export type Status = string;

export const isRunning = (status: Status): boolean => status === 'created' || status === 'started';

export interface Player {
  readonly id?: string | null;
  readonly name?: string;
  readonly title?: string | null;
  readonly rating?: number;
  readonly aiLevel?: number;
}

/** First line of a game stream. `clock` is in milliseconds and absent without a clock. */
export interface GameFull {
  readonly type: 'gameFull';
  readonly id: string;
  readonly variant: { readonly key: string; readonly name: string };
  readonly white: Player;
  readonly black: Player;
  readonly initialFen: string;
  readonly rated?: boolean;
  readonly clock?: { readonly initial: number; readonly increment: number } | null;
  readonly state: GameState;
}

/** All that changes in a game; `wtime` and `btime` are milliseconds left when the line was sent. */
export interface GameState {
  readonly type: 'gameState';
  readonly moves: string;
  readonly wtime: number;
  readonly btime: number;
  readonly status: Status;
  readonly winner?: Color | null;
  readonly wdraw?: boolean;
  readonly bdraw?: boolean;
  readonly wtakeback?: boolean;
  readonly btakeback?: boolean;
}

export interface ChatLine {
  readonly type: 'chatLine';
  readonly room: string;
  readonly username: string;
  readonly text: string;
}

export interface OpponentGone {
  readonly type: 'opponentGone';
  readonly gone: boolean;
  readonly claimWinInSeconds?: number;
}

export type GameEvent = GameFull | GameState | ChatLine | OpponentGone;

/** A position from the sandbox, with legal moves: this page knows no rules. */
export interface View {
  readonly initialFen: string;
  readonly moves: readonly ViewMove[];
  readonly fen: string;
  readonly turn: Color;
  readonly check: boolean;
  readonly dests: Readonly<Record<string, readonly string[]>>;
  readonly legal: readonly { readonly uci: string; readonly san: string }[];
  readonly status: Status;
  /** Why and how the game ended, in a sentence. */
  readonly reason: string;
}

/** A move played and the position after it. */
export interface ViewMove {
  readonly uci: string;
  readonly san: string;
  readonly fen: string;
}

export interface Personality {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** Elo points; `null` plays without a level. */
  readonly level: number | null;
  /** Details for the card; absent on older servers. */
  readonly books?: readonly string[];
  readonly pace?: Pace;
  /** Takebacks granted in a casual game. */
  readonly takebacks?: number;
}

/** The think time of a personality, roughly. */
export type Pace = 'instant' | 'quick' | 'steady' | 'slow';

/** A clock in seconds, as challenges write it. */
export interface Clock {
  readonly limit: number;
  readonly increment: number;
}

/** The range of levels in Elo points, and a note on their calibration. Empty on a server without levels. */
export interface Levels {
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  readonly note?: string;
}

export interface Lobby {
  /** The bot that takes challenges; `null` before the first one came. */
  readonly bot: { readonly username: string; readonly online: boolean } | null;
  readonly personalities: readonly Personality[];
  readonly levels: Levels;
  readonly clocks?: readonly Clock[];
  /** The default personality. */
  readonly default?: string | null;
  /** Whether books and personalities can be edited in the browser. */
  readonly edit?: boolean;
  /** Whether the server reports reloads of books and personalities. */
  readonly reloads?: boolean;
}

/** A reload of a saved file. */
export interface ReloadEvent {
  /** Counts from 1; the newest has the largest. */
  readonly number: number;
  readonly good: boolean;
  readonly text: string;
}

/** What the player chose in the lobby. */
export interface Setup {
  readonly personality: string;
  /** Elo points asked for; `null` leaves it to the personality. */
  readonly level: number | null;
  readonly color: Color | 'random';
  /** `null` is a game without a clock. */
  readonly clock: Clock | null;
  readonly variant: string;
}

export interface Challenge {
  readonly id: string;
  readonly declineReason?: string;
}

/** Lines of the event stream that matter here. */
export type AccountEvent =
  | { readonly type: 'gameStart' | 'gameFinish'; readonly game: { readonly id?: string; readonly gameId?: string } }
  | { readonly type: 'challenge' | 'challengeCanceled' | 'challengeDeclined'; readonly challenge: Challenge };

export interface RunningGame {
  readonly gameId: string;
  readonly opponent: { readonly username: string };
}
