// The static evaluation of a position: a summary, the largest terms, and all terms on demand.
import { h } from './dom';
import { scoreText } from './score';
import { text } from './text';

/** The static evaluation for the bot, in centipawns. */
interface Balance {
  readonly total: number;
  /** Each term for the bot and for the opponent. */
  readonly own: readonly number[];
  readonly theirs: readonly number[];
  /** Indices of the largest terms, largest first. */
  readonly named: readonly number[];
}

/** In check, and where a capture is due, there is no static evaluation. */
type Judged = Balance | { readonly not: 'check' | 'capture' };

/** The positions of a game after each half move; `null` where no move is legal. */
export interface Evaluation {
  readonly terms: readonly string[];
  readonly after: readonly (Judged | null)[];
}

/** Whether the table is open, for all positions of a game. */
let isOpen = false;

/** The part of a card about the position after a half move. `opponent` is the column title of the bot's opponent. */
export function evaluationPart(all: Evaluation | null, ply: number, opponent: string): HTMLElement[] {
  const judged = all?.after[ply - 1];
  if (!all || !judged) return [];
  if ('not' in judged) return [h('p', { class: 'by-itself note' }, text.why.notJudged[judged.not])];
  const share = (place: number) => (judged.own[place] ?? 0) - (judged.theirs[place] ?? 0);
  const rows = judged.named.map((place) =>
    h('li', {}, h('b', {}, pawns(share(place))), h('span', {}, all.terms[place] ?? '')));
  // At the click, not at the later toggle event: stepping on at once would find the old state.
  const details = h('details', { 'aria-live': 'off', open: isOpen },
    h('summary', { onclick: () => (isOpen = !details.open) }, text.why.allTerms), table(all.terms, judged, opponent));
  return [
    h('p', { class: 'by-itself' }, text.why.judged(pawns(judged.total)), rows.length === 0 && ` ${text.why.nothingStandsOut}`),
    ...(rows.length > 0 ? [h('ul', { class: 'seen-lines', 'aria-label': text.why.namedTerms }, ...rows)] : []),
    details,
  ];
}

const pawns = (cp: number): string => scoreText({ cp });

function table(terms: readonly string[], { total, own, theirs }: Balance, opponent: string): HTMLElement {
  const rows = terms.flatMap((name, place) => {
    const [ours, others] = [own[place] ?? 0, theirs[place] ?? 0];
    return ours === 0 && others === 0 ? [] : [row(name, pawns(ours), pawns(others), pawns(ours - others))];
  });
  const heads = [text.why.term, text.why.bot, opponent, text.why.balance].map((name) => h('th', { scope: 'col' }, name));
  return h('table', {},
    h('thead', {}, h('tr', {}, ...heads)),
    h('tbody', {}, ...rows),
    h('tfoot', {}, row(text.why.together, '', '', pawns(total))));
}

const row = (name: string, ...cells: readonly string[]): HTMLElement =>
  h('tr', {}, h('th', { scope: 'row' }, name), ...cells.map((cell) => h('td', {}, cell)));
