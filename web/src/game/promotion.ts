// The promotion dialog: the pieces in a column on the pawn's file, the queen nearest to the end of the board.
import { figure, h } from '../dom';
import type { Color } from '../model';
import { text } from '../text';

const ROLES = [['q', 'queen'], ['n', 'knight'], ['r', 'rook'], ['b', 'bishop'], ['k', 'king']] as const;

export type PromotionRole = (typeof ROLES)[number][0];

/** What a pawn that makes this move may become, as the server's list of legal moves says; empty for all other moves. */
export const promotions = (legal: readonly { readonly uci: string }[], move: string): PromotionRole[] =>
  ROLES.map(([letter]) => letter).filter((letter) => legal.some(({ uci }) => uci === move + letter));

/**
 * Ask which of the `roles` a pawn arriving on `dest` becomes. `answer` gets `null` on Escape or a click elsewhere; the returned
 * function cancels the question from outside.
 */
export function askPromotion(
  board: HTMLElement,
  dest: string,
  color: Color,
  orientation: Color,
  roles: readonly PromotionRole[],
  answer: (role: PromotionRole | null) => void,
): () => void {
  const file = dest.charCodeAt(0) - 'a'.charCodeAt(0);
  const before = document.activeElement;
  const offered = ROLES.filter(([role]) => roles.includes(role));
  const buttons = offered.map(([role, name]) =>
    h('button', { type: 'button', 'aria-label': name, title: name, onclick: () => done(role) }, figure(name, color)),
  );
  const column = h('div', { class: 'promotion-column' }, ...buttons);
  column.style.left = `${(orientation === 'white' ? file : 7 - file) * 12.5}%`;
  column.style.height = `${offered.length * 12.5}%`;
  column.classList.toggle('from-below', color !== orientation);

  const shade = h(
    'div',
    {
      class: 'promotion',
      role: 'dialog',
      'aria-modal': 'true',
      'aria-label': text.promotion,
      onclick: (event: MouseEvent) => event.target === shade && done(null),
      onkeydown: (event: KeyboardEvent) => key(event),
    },
    column,
  );

  const key = (event: KeyboardEvent) => {
    event.stopPropagation();
    const at = buttons.findIndex((button) => button === document.activeElement);
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Tab: event.shiftKey ? -1 : 1 }[event.key];
    const role = offered.find(([letter]) => letter === event.key)?.[0];
    if (event.key === 'Escape') done(null);
    else if (role) done(role);
    else if (step !== undefined) buttons[(at + step + buttons.length) % buttons.length]?.focus();
    else return;
    event.preventDefault();
  };

  const done = (role: PromotionRole | null) => {
    if (!shade.isConnected) return;
    shade.remove();
    if (before instanceof HTMLElement) before.focus();
    answer(role);
  };

  board.append(shade);
  buttons[0]?.focus();
  return () => done(null);
}
