// A game of the archive: the board, the moves, and why the bot played each of its own.
import { Chessground } from '@lichess-org/chessground';
import type { Key } from '@lichess-org/chessground/types';
import { h, setText } from '../dom';
import type { Page } from '../route';
import { text } from '../text';
import { explanation, markOf, numbered } from '../why';
import * as api from './api';
import { loadedPage, moment } from './loaded';
import { words } from './words';

const START_FEN = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

export function gamePage(id: string): Page {
  return loadedPage(words.game(id), async (left) => {
    const game = await api.game(id);
    const rating = game.rating === null ? '' : ` (${game.rating})`;
    const about = [
      moment(game.began),
      `${words.you} (${game.side}) – ${game.name}${rating}`,
      `${game.rated ? words.rated : words.casual} ${game.speed}`,
      game.level === null ? game.personality : `${game.personality} ${words.level(game.level)}`,
      [words.results[game.result] ?? game.result, game.status].filter(Boolean).join(', '),
    ].join(' · ');
    return [h('p', { class: 'note' }, about), viewer(game, left)];
  });
}

function viewer(game: api.GameDetail, left: AbortSignal): HTMLElement {
  const initial = game.start === 'startpos' ? START_FEN : game.start;
  const why = game.decisions;
  let ply = game.line.length;
  const ground = h('div', { class: 'ground', role: 'img' });
  const title = h('h2');
  const body = h('div', { class: 'why-body', 'aria-live': 'polite' });
  const blackFirst = initial.split(' ')[1] === 'b';
  const buttons = game.line.map(({ san }, i) => {
    const mark = why && markOf(why, i + 1);
    const about = { class: mark?.name ?? false, title: mark?.tip ?? null };
    return h('button', { type: 'button', ...about, onclick: () => show(i + 1) }, i === 0 || (i % 2 === 0) !== blackFirst ? numbered(i + 1, san, initial) : san);
  });

  const cg = Chessground(ground, { viewOnly: true, animation: { enabled: false }, drawable: { enabled: false } });
  const show = (to: number) => {
    ply = Math.min(Math.max(to, 0), game.line.length);
    const move = game.line[ply - 1];
    cg.set({
      fen: move?.fen ?? initial,
      orientation: game.side,
      lastMove: move ? ([move.uci.slice(0, 2), move.uci.slice(2, 4)] as Key[]) : [],
    });
    ground.setAttribute('aria-label', `${text.board}: ${move?.san ?? words.start}`);
    buttons.forEach((button, i) => {
      if (i + 1 === ply) button.setAttribute('aria-current', 'true');
      else button.removeAttribute('aria-current');
    });
    const decision = why?.decisions.find((each) => each.ply === ply);
    const told = why ? explanation(why, ply, 'owner') : [];
    const played = numbered(ply, decision?.san ?? move?.san ?? '', initial);
    setText(title, told.length === 0 ? text.why.title : decision ? text.why.of(played) : words.ofTheirs(played));
    const nothing = h('p', { class: 'note' }, why ? text.why.choose : words.whyLater);
    body.replaceChildren(...(told.length > 0 ? told : [nothing]));
  };
  const steps: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => show(ply - 1), ArrowRight: () => show(ply + 1), Home: () => show(0), End: () => show(game.line.length),
  };
  addEventListener('keydown', (event) => {
    const step = event.altKey || event.ctrlKey || event.metaKey ? undefined : steps[event.key];
    if (!step) return;
    event.preventDefault();
    step();
  }, { signal: left });
  left.addEventListener('abort', () => cg.destroy());
  show(ply);
  return h('div', { class: 'viewer' },
    h('div', { class: 'board' }, ground),
    h('div', { class: 'beside' },
      h('div', { class: 'moves', role: 'group', 'aria-label': words.moves }, ...buttons),
      h('section', { class: 'why', 'aria-label': text.why.title }, title, body)),
  );
}
