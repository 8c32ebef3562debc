// The player's choice of game: its default, its summary in one line, and the chat commands for the bot.
import type { Clock, Color, Lobby, Personality, Setup } from '../model';
import { isRecord, recall, remember } from '../storage';
import { text } from '../text';
import { VARIANTS } from '../variants';

const PRESETS: readonly Clock[] = [
  { limit: 60, increment: 0 },
  { limit: 180, increment: 2 },
  { limit: 300, increment: 3 },
  { limit: 600, increment: 0 },
  { limit: 900, increment: 10 },
];

export const COLORS = ['random', 'white', 'black'] as const;

export const clockPresets = (lobby: Lobby): readonly Clock[] => (lobby.clocks?.length ? lobby.clocks : PRESETS);

const isClock = (value: unknown): value is Clock | null =>
  value === null ||
  (isRecord(value) && typeof value['limit'] === 'number' && typeof value['increment'] === 'number');

const isSetup = (value: unknown): value is Setup =>
  isRecord(value) &&
  typeof value['personality'] === 'string' &&
  (value['level'] === null || typeof value['level'] === 'number') &&
  COLORS.includes(value['color'] as Color) &&
  isClock(value['clock']) &&
  VARIANTS.includes(value['variant'] as 'standard');

export const rememberSetup = (setup: Setup): void => remember('setup', setup);
export const recallSetup = (): Setup | null => recall('setup', isSetup);

/** The current or last visit's choice, as far as this server offers it; else a five-minute game with the bot's default. */
export function initialSetup(lobby: Lobby, chosen: Setup | null): Setup {
  const last = chosen ?? recallSetup();
  const isOffered = (who: string | null | undefined) => lobby.personalities.some(({ name }) => name === who);
  const known = isOffered(last?.personality);
  const level = last?.level ?? null;
  return {
    personality: [last?.personality, lobby.default, lobby.personalities[0]?.name].find(isOffered) ?? '',
    level: known && level !== null ? clampLevel(level, lobby) : null,
    color: last?.color ?? 'random',
    clock: last ? last.clock : (clockPresets(lobby)[2] ?? null),
    variant: last?.variant ?? 'standard',
  };
}

export const clampLevel = (level: number, { levels }: Lobby): number =>
  Math.min(Math.max(level, levels.min ?? level), levels.max ?? level);

export const chosen = (setup: Setup, lobby: Lobby): Personality | undefined =>
  lobby.personalities.find(({ name }) => name === setup.personality);

/** `3+2`, as every chess site writes it. Minutes before the plus, seconds after. */
export const clockName = (clock: Clock | null): string =>
  clock ? `${clock.limit / 60}+${clock.increment}` : text.unlimited;

/** lichess' speeds: an estimate of the seconds one side has for 40 moves. */
export function speedName(clock: Clock | null): string {
  if (!clock) return text.speeds.none;
  const estimate = clock.limit + 40 * clock.increment;
  if (estimate < 180) return text.speeds.bullet;
  if (estimate < 480) return text.speeds.blitz;
  return estimate < 1500 ? text.speeds.rapid : text.speeds.classical;
}

/** The chosen game in one line. */
export function summary(setup: Setup, lobby: Lobby): string {
  const who = chosen(setup, lobby);
  const level = setup.level ?? who?.level ?? null;
  const name = who?.title ?? lobby.bot?.username ?? text.product;
  const parts = [
    level === null ? name : `${name}, ${text.levelTag(level)}`,
    setup.clock ? `${clockName(setup.clock)} ${speedName(setup.clock).toLowerCase()}` : text.speeds.none.toLowerCase(),
    text.colorSummary[setup.color],
  ];
  if (setup.variant !== 'standard') parts.push(text.variants[setup.variant] ?? setup.variant);
  return parts.join(' · ');
}

/**
 * The chat commands that ask the bot for this personality and level. Whom it plays by default is asked for too: it may have
 * promised somebody else in an earlier game, and the last word is what was chosen here.
 */
export function wishes(setup: Setup): string[] {
  const lines = [];
  if (setup.personality) lines.push(`!play ${setup.personality}`);
  if (setup.level !== null) lines.push(`!level ${setup.level}`);
  return lines;
}
