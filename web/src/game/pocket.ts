// The pockets of crazyhouse: what each side has in hand, and the way from ours to the board.
import { figure, h, setText } from '../dom';
import { KINDS, pocket, type Kind } from '../fen';
import { opposite, type Color } from '../model';
import { text } from '../text';
import type { Hand } from './hand';
import { below, isPlaying, myColor, rules, shown, type Game } from './state';

const LETTERS = Object.keys(KINDS) as Kind[];
/** From so many pixels on a press is a drag. */
const DRAG_PX = 4;

interface Pocket {
  readonly element: HTMLElement;
  render(color: Color): void;
}

function createPocket(game: Game, hand: Hand, className: string): Pocket {
  const element = h('div', { class: `pocket ${className}`, role: 'group', hidden: true });
  const slots = LETTERS.map((kind) => {
    const count = h('span', { class: 'count', 'aria-hidden': 'true' });
    const button = h('button', { type: 'button' }, count);
    takeFrom(button, kind, hand);
    element.append(button);
    return { kind, button, count };
  });
  let side: Color | null = null;
  return {
    element,
    render(color) {
      const fen = shown(game)?.fen ?? '';
      element.hidden = !rules(game).pockets;
      if (element.hidden) return;
      element.setAttribute('aria-label', text.pocket(color));
      const counts = pocket(fen, color);
      const isOurs = color === myColor(game) && isPlaying(game) && (shown(game)?.live ?? false);
      for (const { kind, button, count } of slots) {
        if (side !== color) button.replaceChildren(figure(KINDS[kind], color), count);
        const left = counts.get(kind) ?? 0;
        setText(count, left > 0 ? String(left) : '');
        button.disabled = !isOurs || left === 0;
        button.classList.toggle('empty', left === 0);
        button.setAttribute('aria-label', text.inHand(left, KINDS[kind]));
        button.setAttribute('aria-pressed', String(isOurs && hand.held() === kind));
      }
      side = color;
    },
  };
}

/** A click holds the piece until the next click, a drag takes it along. */
function takeFrom(button: HTMLButtonElement, kind: Kind, hand: Hand): void {
  let from: readonly [number, number] | null = null;
  let isDragged = false;
  button.addEventListener('pointerdown', (event) => {
    isDragged = false;
    from = event.button === 0 && !button.disabled ? [event.clientX, event.clientY] : null;
    // Moves on the way to the board would miss a small button.
    if (from) button.setPointerCapture(event.pointerId);
  });
  button.addEventListener('pointermove', (event) => {
    if (!from || Math.hypot(event.clientX - from[0], event.clientY - from[1]) < DRAG_PX) return;
    from = null;
    isDragged = true;
    hand.drag(kind, event);
  });
  button.addEventListener('pointerup', () => (from = null));
  button.addEventListener('click', () => {
    if (!isDragged) hand.hold(hand.held() === kind ? null : kind);
    isDragged = false;
  });
}

/** The pockets above and below the board. */
export function createPockets(game: Game, hand: Hand) {
  const top = createPocket(game, hand, 'above');
  const bottom = createPocket(game, hand, 'below');
  const render = () => {
    top.render(opposite(below(game)));
    bottom.render(below(game));
  };
  hand.onChange(render);
  return { top: top.element, bottom: bottom.element, render };
}
