// The archive: the newest games, all of them or those against one opponent.
import { h } from '../dom';
import type { Page } from '../route';
import * as api from './api';
import { loadedPage, moment, table } from './loaded';
import { words } from './words';

const STEP = 50;

export function gamesPage(query: URLSearchParams): Page {
  const opponent = query.get('opponent') ?? '';
  const most = Number(query.get('most')) || STEP;
  const title = opponent ? `${words.pages['#/games']}: ${opponent}` : (words.pages['#/games'] ?? '');
  return loadedPage(title, async () => {
    const games = await api.games(new URLSearchParams({ opponent, most: String(most) }));
    if (games.length === 0) return [h('p', { class: 'note' }, words.noGames)];
    const heads = [words.when, words.opponent, words.result, words.as, words.speed, words.who, words.end, words.moves];
    const more = `#/games?${new URLSearchParams({ opponent, most: String(most + STEP) })}`;
    return [
      table(title, heads, games.map(row)),
      games.length === most && h('p', {}, h('a', { class: 'button', href: more }, words.more)),
    ];
  });
}

function row(game: api.GameRow) {
  const rating = game.rating === null ? '' : ` (${game.rating})`;
  const level = game.level === null ? '' : ` ${words.level(game.level)}`;
  const plies = game.moves ? game.moves.split(' ').length : 0;
  return [
    h('a', { href: `#/game/${game.id}` }, moment(game.began)),
    `${game.bot ? `${words.bot} ` : ''}${game.name}${rating}`,
    h('span', { class: `result ${game.result}` }, words.results[game.result] ?? game.result),
    game.side,
    `${game.rated ? words.rated : words.casual} ${game.speed}${game.variant === 'standard' ? '' : ` ${game.variant}`}`,
    `${game.personality}${level}`,
    game.status ?? '',
    game.moves ? String(Math.ceil(plies / 2)) : '',
  ];
}
