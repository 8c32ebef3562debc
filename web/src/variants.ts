// What the page must know of a variant to show it. Which moves are legal, the server says.
import type { Color } from './model';

export interface Traits {
  /** Counting material says who is ahead. */
  readonly material: boolean;
  /** Taken pieces come to hand, and are dropped. */
  readonly pockets: boolean;
  /** A capture takes what stands around it off the board. */
  readonly explosions: boolean;
  /** Whoever can take must. */
  readonly mustTake: boolean;
  /** The squares on which a king wins. */
  readonly goals: readonly string[];
  /** Both players see the board from White's side. */
  readonly fromWhite: boolean;
}

const CHESS: Traits = { material: true, pockets: false, explosions: false, mustTake: false, goals: [], fromWhite: false };

const OTHERS: Readonly<Record<string, Partial<Traits>>> = {
  kingOfTheHill: { goals: ['d4', 'd5', 'e4', 'e5'] },
  antichess: { material: false, mustTake: true },
  atomic: { explosions: true },
  horde: { material: false },
  racingKings: { goals: ['a8', 'b8', 'c8', 'd8', 'e8', 'f8', 'g8', 'h8'], fromWhite: true },
  crazyhouse: { material: false, pockets: true },
};

/** By lichess' key; what has no rules of its own is shown as chess. */
export const traits = (variant: string | undefined): Traits => ({ ...CHESS, ...OTHERS[variant ?? ''] });

/** The side from which a player of `color` sees the board. */
export const sideSeen = (variant: string | undefined, color: Color): Color => (traits(variant).fromWhite ? 'white' : color);

/** As lichess orders them. "From position" needs a position, which the lobby does not ask for. */
export const VARIANTS = [
  'standard', 'chess960', 'kingOfTheHill', 'threeCheck', 'antichess', 'atomic', 'horde', 'racingKings', 'crazyhouse',
] as const;
