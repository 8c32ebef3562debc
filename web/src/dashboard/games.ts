// The page of archived games, newest first, optionally of one opponent.
import { h, setText, type Child } from '../dom';
import type { Page } from '../route';
import { text } from '../text';
import * as api from './api';
import { loadedPage, moment, table, tableRow } from './loaded';
import { words } from './words';

const STEP = 50;
/** The daemon's largest page. */
const LARGEST_PAGE = 200;

export function gamesPage(query: URLSearchParams): Page {
  const opponent = query.get('opponent') ?? '';
  const title = opponent ? `${words.pages['#/games']}: ${opponent}` : (words.pages['#/games'] ?? '');
  /** A page of games after one of them. */
  const read = async (most: number, after: string | null): Promise<api.GamePage> => {
    const { games, next } = await api.games({ opponent, most: String(Math.min(most, LARGEST_PAGE)), ...(after && { after }) });
    if (next === null || games.length >= most) return { games, next };
    const rest = await read(most - games.length, next);
    return { games: [...games, ...rest.games], next: rest.next };
  };
  return loadedPage(title, async () => {
    let most = Number(query.get('most')) || STEP;
    const first = await read(most, null);
    let { next } = first;
    let shown = first.games.length;
    if (shown === 0) return [h('p', { class: 'note' }, words.noGames)];
    const heads = [words.when, words.opponent, words.result, words.as, words.speed, words.who, words.end, words.moves];
    const list = table(title, heads, first.games.map(row));
    const said = h('span', { class: 'note', role: 'status' });

    // Appended below, to keep focus and scroll position; the URL keeps the count.
    const showMore = async () => {
      more.disabled = true;
      try {
        const older = await read(STEP, next);
        const rows = older.games.map((game) => tableRow(row(game)));
        list.querySelector('tbody')?.append(...rows);
        most += STEP;
        shown += rows.length;
        next = older.next;
        more.hidden = next === null;
        history.replaceState(null, '', `#/games?${new URLSearchParams({ ...(opponent && { opponent }), most: String(most) })}`);
        setText(said, words.shown(shown));
        if (more.hidden) rows[0]?.querySelector('a')?.focus({ preventScroll: true });
      } catch (error) {
        setText(said, words.failed((error as Error).message));
      }
      more.disabled = false;
      if (document.activeElement === document.body) more.focus({ preventScroll: true }); // A button that is off loses the focus.
    };
    const more = h('button', { type: 'button', hidden: next === null, onclick: () => void showMore() }, words.more);
    return [list, h('p', { class: 'row more' }, more, said)];
  });
}

function row(game: api.GameRow): Child[] {
  const rating = game.rating === null ? '' : ` (${game.rating})`;
  const level = game.level === null ? '' : ` ${words.level(game.level)}`;
  const plies = game.moves ? game.moves.split(' ').length : 0;
  return [
    h('a', { href: `#/game/${game.id}` }, moment(game.began)),
    // A long name is cut, but not the rating.
    h('span', { class: 'named' }, h('span', {}, `${game.bot ? `${words.bot} ` : ''}${game.name}`), rating),
    h('span', { class: `result ${game.result}` }, words.results[game.result] ?? game.result),
    game.side,
    `${game.rated ? words.rated : words.casual} ${game.speed}${text.variantTag(game.variant)}`,
    `${game.personality}${level}`,
    game.status ?? '',
    game.moves ? String(Math.ceil(plies / 2)) : '',
  ];
}
