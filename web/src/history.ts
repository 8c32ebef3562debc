// Results of this browser's earlier games by personality, for the cards of the lobby.
import { isRecord, recall, remember } from './storage';

export type Outcome = 'won' | 'lost' | 'drawn';

const OUTCOMES: readonly unknown[] = ['won', 'lost', 'drawn'] satisfies Outcome[];

interface Ended {
  readonly id: string;
  readonly personality: string;
  readonly outcome: Outcome;
}

export interface Score {
  readonly won: number;
  readonly lost: number;
  readonly drawn: number;
  readonly last: Outcome;
}

/** Capacity; the oldest games are dropped. */
const KEPT = 500;

const isEnded = (value: unknown): value is Ended =>
  isRecord(value) &&
  typeof value['id'] === 'string' &&
  typeof value['personality'] === 'string' &&
  OUTCOMES.includes(value['outcome']);

const isHistory = (value: unknown): value is Ended[] => Array.isArray(value) && value.every(isEnded);

const ended = (): Ended[] => recall('history', isHistory) ?? [];

/** Records the end of a game. Recording it twice, or opening an old game, changes nothing. */
export function noteEnd(id: string, personality: string, outcome: Outcome): void {
  const games = ended();
  const noted = { id, personality, outcome };
  const isKnown = games.some((game) => game.id === id);
  const all = isKnown ? games.map((game) => (game.id === id ? noted : game)) : [...games, noted];
  remember('history', all.slice(-KEPT));
}

/** All games against a personality; `null` before the first one. */
export function scoreAgainst(personality: string): Score | null {
  const games = ended().filter((game) => game.personality === personality);
  const last = games.at(-1)?.outcome;
  const count = (outcome: Outcome) => games.filter((game) => game.outcome === outcome).length;
  return last ? { won: count('won'), lost: count('lost'), drawn: count('drawn'), last } : null;
}
