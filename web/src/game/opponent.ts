// Who the bot is in this game: its own default, or the personality and level that we asked for in the chat.
import { opposite, type Lobby } from '../model';
import { myColor, player, type Game } from './state';

export interface Opponent {
  /** The name of the personality, as commands write it. */
  readonly name: string;
  readonly title: string;
  /** Elo points it was asked to play at; `null` leaves it to the personality. */
  readonly asked: number | null;
  /** The level in force; `null` is full strength. */
  readonly level: number | null;
}

/** Read from our own lines, which the server keeps: a reload and a second tab come to the same answer. */
export function opponent(game: Game, lobby: Lobby | null): Opponent | null {
  const color = myColor(game);
  const them = color && player(game, opposite(color));
  if (!lobby || !them?.name || them.name !== lobby.bot?.username) return null;
  const find = (name: string | null | undefined) => lobby.personalities.find((who) => who.name === name);
  let who = find(lobby.default);
  let asked: number | null = null;
  for (const { user, text } of game.chat) {
    if (user.toLowerCase() !== game.me) continue;
    const [, command, word = ''] = /^!(play|level)\s+(\S+)$/.exec(text.trim()) ?? [];
    const named = command === 'play' ? find(word.toLowerCase()) : undefined;
    if (named) [who, asked] = [named, null];
    if (command === 'level' && isLevel(Number(word), lobby)) asked = Number(word);
  }
  return who ? { name: who.name, title: who.title, asked, level: asked ?? who.level } : null;
}

const isLevel = (level: number, { levels: { min = 0, max = 0 } }: Lobby): boolean => level >= min && level <= max;
