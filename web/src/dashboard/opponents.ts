// The page of opponents: games and score against each.
import { h } from '../dom';
import type { Page } from '../route';
import * as api from './api';
import { loadedPage, moment, table } from './loaded';
import { words } from './words';

export function opponentsPage(): Page {
  const title = words.pages['#/opponents'] ?? '';
  return loadedPage(title, async () => {
    const all = await api.opponents();
    if (all.length === 0) return [h('p', { class: 'note' }, words.noGames)];
    const heads = [words.opponent, words.number, words.won, words.drawn, words.lost_, words.last];
    return [table(title, heads, all.map(row))];
  });
}

function row(who: api.Opponent) {
  const name = `${who.bot ? `${words.bot} ` : ''}${who.name}${who.rating === null ? '' : ` (${who.rating})`}`;
  const link = who.id === null ? name : h('a', { href: `#/games?${new URLSearchParams({ opponent: who.id })}` }, name);
  const last = who.last === null ? '' : moment(who.last);
  return [link, String(who.games), String(who.won), String(who.drawn), String(who.lost), last];
}
