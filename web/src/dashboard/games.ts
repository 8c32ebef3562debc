// The archive: the newest games, all of them or those against one opponent.
import { h, setText, type Child } from '../dom';
import type { Page } from '../route';
import * as api from './api';
import { loadedPage, moment, table, tableRow } from './loaded';
import { words } from './words';

const STEP = 50;

export function gamesPage(query: URLSearchParams): Page {
  const opponent = query.get('opponent') ?? '';
  const title = opponent ? `${words.pages['#/games']}: ${opponent}` : (words.pages['#/games'] ?? '');
  const read = (most: number) => api.games(new URLSearchParams({ opponent, most: String(most) }));
  return loadedPage(title, async () => {
    let most = Number(query.get('most')) || STEP;
    let shown = await read(most);
    if (shown.length === 0) return [h('p', { class: 'note' }, words.noGames)];
    const heads = [words.when, words.opponent, words.result, words.as, words.speed, words.who, words.end, words.moves];
    const list = table(title, heads, shown.map(row));
    const said = h('span', { class: 'note', role: 'status' });

    // Added below, so that eyes and cursor stay where they are; the address keeps how many there are.
    const showMore = async () => {
      more.disabled = true;
      try {
        const games = await read(most + STEP);
        const known = new Set(shown.map(({ id }) => id));
        const last = games.findIndex(({ id }) => id === shown.at(-1)?.id);
        const older = games.slice(last + 1).filter(({ id }) => !known.has(id));
        const rows = older.map((game) => tableRow(row(game)));
        list.querySelector('tbody')?.append(...rows);
        most += STEP;
        shown = [...shown, ...older];
        more.hidden = games.length < most;
        history.replaceState(null, '', `#/games?${new URLSearchParams({ ...(opponent && { opponent }), most: String(most) })}`);
        setText(said, words.shown(shown.length));
        if (more.hidden) rows[0]?.querySelector('a')?.focus({ preventScroll: true });
      } catch (error) {
        setText(said, words.failed((error as Error).message));
      }
      more.disabled = false;
      if (document.activeElement === document.body) more.focus({ preventScroll: true }); // A button that is off loses the focus.
    };
    const more = h('button', { type: 'button', hidden: shown.length < most, onclick: () => void showMore() }, words.more);
    return [list, h('p', { class: 'row more' }, more, said)];
  });
}

function row(game: api.GameRow): Child[] {
  const rating = game.rating === null ? '' : ` (${game.rating})`;
  const level = game.level === null ? '' : ` ${words.level(game.level)}`;
  const plies = game.moves ? game.moves.split(' ').length : 0;
  return [
    h('a', { href: `#/game/${game.id}` }, moment(game.began)),
    // A long name is cut, its rating never.
    h('span', { class: 'named' }, h('span', {}, `${game.bot ? `${words.bot} ` : ''}${game.name}`), rating),
    h('span', { class: `result ${game.result}` }, words.results[game.result] ?? game.result),
    game.side,
    `${game.rated ? words.rated : words.casual} ${game.speed}${game.variant === 'standard' ? '' : ` ${game.variant}`}`,
    `${game.personality}${level}`,
    game.status ?? '',
    game.moves ? String(Math.ceil(plies / 2)) : '',
  ];
}
