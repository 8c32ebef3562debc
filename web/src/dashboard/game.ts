// The page of an archived game: board, moves, and explanations.
import { Chessground } from '@lichess-org/chessground';
import type { Key } from '@lichess-org/chessground/types';
import { h, setText } from '../dom';
import { squaresOf } from '../fen';
import type { Page } from '../route';
import { opposite } from '../model';
import { text } from '../text';
import { sideSeen } from '../variants';
import { explanation, fill, markOf, numbered } from '../why';
import * as api from './api';
import { createTally } from './tally';
import { loadedPage, moment } from './loaded';
import { words } from './words';

const START_FEN = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

/** Interval of polling the archive for the end of a game that has left the stream. */
const LOOK_AGAIN_MS = 1_000;

export function gamePage(id: string): Page {
  return loadedPage(words.game(id), async (left) => {
    let game = await api.game(id);
    if (left.aborted) return []; // Nobody would close what is opened below.
    const about = h('p', { class: 'note' }, lineOf(game));
    let viewer = createViewer(game, null);
    const place = h('div', {}, viewer.element);
    left.addEventListener('abort', () => viewer.close());

    const redraw = (now: api.GameDetail) => {
      if (JSON.stringify(now) === JSON.stringify(game)) return;
      game = now;
      setText(about, lineOf(game));
      const ply = viewer.ply();
      const focused = buttonsOf(place).findIndex((button) => button === document.activeElement);
      viewer.close();
      viewer = createViewer(game, ply);
      place.replaceChildren(viewer.element);
      buttonsOf(place)[focused]?.focus();
    };
    if (game.result === 'runs') void followGame(id, left, redraw);
    return [about, place];
  });
}

const buttonsOf = (place: HTMLElement): HTMLElement[] => [...place.querySelectorAll('button')];

function lineOf(game: api.GameDetail): string {
  const rating = game.rating === null ? '' : ` (${game.rating})`;
  return [
    moment(game.began),
    `${words.you} (${game.side}) – ${game.name}${rating}`,
    `${game.rated ? words.rated : words.casual} ${game.speed}${text.variantTag(game.variant)}`,
    game.level === null ? game.personality : `${game.personality} ${words.level(game.level)}`,
    [words.results[game.result] ?? game.result, game.status].filter(Boolean).join(', '),
  ].join(' · ');
}

/** Reloads a running game on every change, until it is over. */
async function followGame(id: string, left: AbortSignal, show: (game: api.GameDetail) => void): Promise<void> {
  const over = new AbortController();
  left.addEventListener('abort', () => over.abort());
  let isOnBoard = true;
  let isNews = false;
  let wake = () => undefined as void;
  api.followLive(over.signal, (line) => {
    if (line.type !== 'all' && line.id !== id) return;
    isOnBoard = line.type === 'board';
    isNews = true;
    wake();
  });
  while (!over.signal.aborted) {
    isNews = false;
    const now = await api.game(id).catch(() => null); // The next news asks again.
    if (left.aborted) return;
    if (now) show(now);
    if (now && now.result !== 'runs') return over.abort();
    await new Promise<void>((resolve) => {
      wake = resolve;
      over.signal.addEventListener('abort', () => resolve(), { once: true });
      // The end is archived a moment after the game has left the stream.
      if (isNews || !isOnBoard) setTimeout(resolve, isNews ? 0 : LOOK_AGAIN_MS);
    });
  }
}

interface Viewer {
  readonly element: HTMLElement;
  /** The half move on the board; `null` follows the last one. */
  ply(): number | null;
  close(): void;
}

function createViewer(game: api.GameDetail, at: number | null): Viewer {
  const initial = game.start === 'startpos' ? START_FEN : game.start;
  const why = game.decisions;
  let ply = at ?? game.line.length;
  const closed = new AbortController();
  const ground = h('div', { class: 'ground', role: 'img' });
  const [ours, theirs] = [createTally(game.variant), createTally(game.variant)];
  const title = h('h2');
  const body = h('div', { class: 'why-body', tabindex: -1, 'aria-live': 'polite' });
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
    const fen = move?.fen ?? initial;
    ours.render(fen, game.side);
    theirs.render(fen, opposite(game.side));
    cg.set({
      fen,
      orientation: sideSeen(game.variant, game.side),
      lastMove: move ? (squaresOf(move.uci) as Key[]) : [],
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
    fill(body, told.length > 0 ? told : [nothing]);
  };
  const steps: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => show(ply - 1), ArrowRight: () => show(ply + 1), Home: () => show(0), End: () => show(game.line.length),
  };
  addEventListener('keydown', (event) => {
    const step = event.altKey || event.ctrlKey || event.metaKey ? undefined : steps[event.key];
    if (!step) return;
    event.preventDefault();
    step();
  }, { signal: closed.signal });
  show(ply);
  const element = h('div', { class: 'viewer' },
    h('div', { class: 'board' }, theirs.element, ground, ours.element),
    h('div', { class: 'beside' },
      h('div', { class: 'moves', role: 'group', 'aria-label': words.moves }, ...buttons),
      h('section', { class: 'why', 'aria-label': text.why.title }, title, body)),
  );
  return {
    element,
    ply: () => (ply === game.line.length ? null : ply),
    close() {
      closed.abort();
      cg.destroy();
    },
  };
}
