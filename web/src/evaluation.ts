// What the evaluation of a position is made of: a line, the terms that matter most, and all of them on demand.
import { h } from './dom';
import { scoreText } from './score';
import { text } from './text';

/** What the evaluation says without looking ahead, for the bot, in hundredths of a pawn. */
interface Balance {
  readonly total: number;
  /** What each term is worth to the bot, and to its opponent. */
  readonly own: readonly number[];
  readonly theirs: readonly number[];
  /** Places of the terms that matter most, the weightiest first. */
  readonly named: readonly number[];
}

/** In check, and where a capture is due, the evaluation says nothing. */
type Judged = Balance | { readonly not: 'check' | 'capture' };

/** The positions of a game after each half move; `null` where no move is legal. */
export interface Evaluation {
  readonly terms: readonly string[];
  readonly after: readonly (Judged | null)[];
}

/** Who steps through a game wants the table in each position, or in none. */
let isOpen = false;

/** The part of a card that tells of the position after a half move. `opponent` is what the bot's opponent is called. */
export function evaluationPart(all: Evaluation | null, ply: number, opponent: string): HTMLElement[] {
  const judged = all?.after[ply - 1];
  if (!all || !judged) return [];
  if ('not' in judged) return [h('p', { class: 'by-itself note' }, text.why.notJudged[judged.not])];
  const share = (place: number) => (judged.own[place] ?? 0) - (judged.theirs[place] ?? 0);
  const rows = judged.named.map((place) =>
    h('li', {}, h('b', {}, pawns(share(place))), h('span', {}, all.terms[place] ?? '')));
  // At the click, not when the browser tells of it later: whoever steps on at once would find the table as it was.
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
