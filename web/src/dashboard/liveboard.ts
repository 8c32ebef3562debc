// A card of a running game: names, ticking clocks, and a read-only board.
import { Chessground } from '@lichess-org/chessground';
import type { Key } from '@lichess-org/chessground/types';
import { h, setText } from '../dom';
import { squaresOf } from '../fen';
import { clockText } from '../game/clock';
import { opposite } from '../model';
import { text } from '../text';
import { sideSeen } from '../variants';
import type { Board } from './api';
import { createTally } from './tally';
import { words } from './words';

export interface LiveBoard {
  show(board: Board): void;
  tick(): void;
  close(): void;
}

/** A card at the end of `grid`. */
export function createLiveBoard(grid: HTMLElement, first: Board): LiveBoard {
  let now = first;
  let arrived = performance.now();
  const ground = h('div', { class: 'ground', role: 'img' });
  const name = h('a', { href: `#/game/${encodeURIComponent(first.id)}` });
  const [mine, theirs] = [h('span', { class: 'clock' }), h('span', { class: 'clock' })];
  const [myTally, theirTally] = [createTally(first.variant), createTally(first.variant)];
  const about = h('small');
  const element = h('article', { class: 'live' },
    h('div', { class: 'who' }, h('strong', {}, name), theirs),
    theirTally.element,
    ground,
    myTally.element,
    h('div', { class: 'who' }, h('strong', {}, words.you), mine),
    about,
  );
  grid.append(element);
  const cg = Chessground(ground, { viewOnly: true, coordinates: false, animation: { enabled: false }, drawable: { enabled: false } });

  const side = () => (now.fen.split(' ')[1] === 'b' ? 'black' : 'white');
  const tick = () => {
    const gone = now.plies >= 2 ? now.sinceMillis + performance.now() - arrived : 0;
    const myTurn = side() === now.side;
    for (const [node, left, runs] of [[mine, now.clocks?.mine, myTurn], [theirs, now.clocks?.theirs, !myTurn]] as const) {
      setText(node, left === undefined ? '' : clockText(Math.max(left - (runs ? gone : 0), 0)));
      node.classList.toggle('running', runs && left !== undefined);
    }
  };
  const render = () => {
    const rating = now.rating === null ? '' : ` (${now.rating})`;
    setText(name, `${now.bot ? `${words.bot} ` : ''}${now.opponent}${rating}`);
    const level = now.level === null ? '' : ` ${words.level(now.level)}`;
    setText(about, `${now.rated ? words.rated : words.casual} ${now.speed}${text.variantTag(now.variant)} · ${now.personality}${level}`);
    ground.setAttribute('aria-label', `${words.you}, ${now.side}, ${now.opponent}, ${opposite(now.side)}: ${now.plies} half moves`);
    const lastMove = now.last ? (squaresOf(now.last) as Key[]) : [];
    myTally.render(now.fen, now.side);
    theirTally.render(now.fen, opposite(now.side));
    cg.set({ fen: now.fen, orientation: sideSeen(now.variant, now.side), turnColor: side(), lastMove });
    tick();
  };
  render();
  return {
    show(board) {
      now = board;
      arrived = performance.now();
      render();
    },
    tick,
    close() {
      cg.destroy();
      element.remove();
    },
  };
}
