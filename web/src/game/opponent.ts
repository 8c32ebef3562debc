// The personality and level of the bot in this game: its default, or what the player asked for in the chat and the bot confirmed.
import { opposite, type Lobby, type Personality } from '../model';
import { myColor, player, type Game } from './state';

export interface Opponent {
  /** The name of the personality, as commands write it. */
  readonly name: string;
  readonly title: string;
  /** The requested level in Elo points; `null` for the personality's own. */
  readonly asked: number | null;
  /** The level in force; `null` is full strength. */
  readonly level: number | null;
  /** Personality and level promised for the next casual game; otherwise as now. */
  readonly next: { readonly name: string; readonly asked: number | null };
}

/** How the bot's answer begins when this game stays as it is. */
const REFUSALS = /^(This game goes on as it began|Rated games keep|Here I |My strength is not|I am not acquainted)/;

/**
 * Read from the chat, which the server keeps: a reload and a second tab come to the same answer. What we ask for by number
 * or name counts at once; the bot's answer is the last word on it, and the only one on how much easier or harder it plays.
 */
export function opponent(game: Game, lobby: Lobby | null): Opponent | null {
  const color = myColor(game);
  const them = color && player(game, opposite(color));
  if (!lobby || !them?.name || them.name !== lobby.bot?.username) return null;
  const bot = them.name.toLowerCase();
  const find = (name: string | null | undefined) => lobby.personalities.find((who) => who.name === name);
  let now: Choice = { who: find(lobby.default), asked: null };
  let before = now;
  let next: Choice | null = null;
  for (const { user, text } of game.chat) {
    const from = user.toLowerCase();
    if (from === game.me) {
      const wish = asking(now, text.trim(), lobby);
      if (wish) [before, now] = [now, wish];
    } else if (from === bot) {
      const [, level] = /^From my next move on I play at level (\d+)\.$/.exec(text) ?? [];
      if (level) now = { ...now, asked: Number(level) };
      if (REFUSALS.test(text)) now = before;
      const [, title, later] = /From our next casual game on (?:you play (.+)|I play at level (\d+))\.$/.exec(text) ?? [];
      if (title) next = { who: lobby.personalities.find((who) => who.title === title) ?? now.who, asked: null };
      if (later) next = { who: (next ?? now).who, asked: Number(later) };
    }
  }
  const { who, asked } = now;
  if (!who) return null;
  const then = next ?? now;
  return { name: who.name, title: who.title, asked, level: asked ?? who.level, next: { name: then.who?.name ?? who.name, asked: then.asked } };
}

interface Choice {
  readonly who: Personality | undefined;
  readonly asked: number | null;
}

/** The request in a chat line of the player; none in other lines. */
function asking(now: Choice, line: string, lobby: Lobby): Choice | null {
  const [, command, word = ''] = /^!(\w+)\s*(\S*)$/.exec(line) ?? [];
  const named = command === 'play' && lobby.personalities.find(({ name }) => name === word.toLowerCase());
  if (named) return { who: named, asked: null };
  if (command === 'level' && isLevel(Number(word), lobby)) return { ...now, asked: Number(word) };
  // The bot decides how far these go.
  return ['level', 'strength', 'easier', 'harder', 'weaker', 'softer', 'stronger', 'tougher'].includes(command ?? '') ? now : null;
}

const isLevel = (level: number, { levels: { min = 0, max = 0 } }: Lobby): boolean => level >= min && level <= max;
