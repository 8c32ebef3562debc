// What counts beside a board that nobody plays on: pieces in hand, checks left.
import { figure, h, setText } from '../dom';
import { checksLeft, KINDS, pocket, type Kind } from '../fen';
import type { Color } from '../model';
import { text } from '../text';
import { traits } from '../variants';

export interface Tally {
  readonly element: HTMLElement;
  render(fen: string, color: Color): void;
}

/** A row for one side, hidden in variants that have nothing to say there. */
export function createTally(variant: string): Tally {
  const element = h('p', { class: 'tally', hidden: true });
  const { pockets } = traits(variant);
  return {
    element,
    render(fen, color) {
      const left = checksLeft(fen, color);
      element.hidden = !pockets && left === null;
      if (left !== null) setText(element, text.checksLeft(left));
      if (pockets) showPocket(element, pocket(fen, color), color);
    },
  };
}

function showPocket(element: HTMLElement, counts: ReadonlyMap<Kind, number>, color: Color): void {
  const held = (Object.keys(KINDS) as Kind[]).map((kind) => ({ kind, count: counts.get(kind) ?? 0 })).filter(({ count }) => count > 0);
  const told = held.map(({ kind, count }) => text.inHand(count, KINDS[kind])).join(', ') || text.noneInHand;
  element.setAttribute('role', 'img');
  element.setAttribute('aria-label', `${text.pocket(color)}: ${told}`);
  element.replaceChildren(...held.map(({ kind, count }) => h('span', {}, figure(KINDS[kind], color), count > 1 && String(count))));
}
