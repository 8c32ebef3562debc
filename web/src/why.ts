// The card that explains a move of a finished game. Unknown fields are not shown.
import { h, type Child } from './dom';
import { evaluationPart, type Evaluation } from './evaluation';
import { clockText } from './game/clock';
import { scoreText, type Score } from './score';
import { text } from './text';

export interface SeenLine {
  readonly score: Score;
  readonly san: readonly string[];
}

/** One move of the bot. */
/** A move that people are likely to play: its chance at a glance, and in the draw. */
interface LikelyMove { readonly san: string; readonly prior: number; readonly chance: number }

export interface Decision {
  readonly ply: number;
  readonly san: string;
  readonly from: 'book' | 'online' | 'search' | 'other';
  /** The line of the log. */
  readonly note: string;
  readonly tookMillis: number;
  readonly clockMillis: number | null;
  readonly depth: number | null;
  readonly nodes: number | null;
  readonly book: {
    readonly at: string;
    readonly note: string | null;
    readonly moves: readonly { readonly san: string; readonly chance: number }[];
  } | null;
  readonly search: {
    /** The first one was played. */
    readonly lines: readonly SeenLine[];
    readonly people: {
      readonly rating: number; readonly chance: number; readonly corrected: boolean;
      /** What such people play at a glance, and with which chance the move was drawn; absent in games of early versions. */
      readonly likeliest?: readonly LikelyMove[];
      readonly style: { readonly chance: number; readonly axes: readonly string[] } | null;
    } | null;
  } | null;
}

/** A book move, and its most likely continuation. */
export interface Planned {
  readonly san: string;
  readonly chance: number;
  readonly at: string;
  readonly note: string | null;
  readonly then: readonly string[];
}

/** Where the game left the book; `by` is `null` where that is unknown. */
export interface LeftBook {
  readonly ply: number;
  readonly by: 'opponent' | 'bot' | 'nobody' | null;
  /** The book line that was followed. */
  readonly at: string | null;
  readonly note: string | null;
  readonly plan: readonly Planned[];
}

/** All moves of the bot in a finished game. */
export interface Decisions {
  readonly leftBook: LeftBook | null;
  /** `null` in variants without terms of the evaluation. */
  readonly evaluation: Evaluation | null;
  readonly decisions: readonly Decision[];
  /** Whether lines of books can be edited in the browser. */
  readonly edit?: boolean;
}

/** The reader of the card: the player is addressed as "you", the owner reads of "the opponent". */
export type Reader = 'player' | 'owner';

/** Another line counts as better only from this difference on. */
const CLEARLY_BETTER_CP = 50;
/** A mate outweighs any centipawns; a shorter one more. */
const MATE_CP = 100_000;

const worth = (score: Score): number =>
  'cp' in score ? score.cp : score.mate < 0 ? -MATE_CP - score.mate : MATE_CP - score.mate;

/** `23 %`, and `< 1 %` for what is there all the same. */
export const percent = (chance: number): string =>
  chance > 0 && chance < 0.01 ? '< 1 %' : `${Math.round(chance * 100)} %`;

/** `12. Bb5` or `12… Nf6`; the game may have begun at any move with either side. */
export function numbered(ply: number, san: string, initialFen: string): string {
  const fields = initialFen.split(' ');
  const half = (Number(fields[5]) || 1) * 2 - 2 + (fields[1] === 'b' ? 1 : 0) + ply - 1;
  return `${Math.floor(half / 2) + 1}${half % 2 === 0 ? '.' : '…'} ${san}`;
}

/** The body of a card: a few short paragraphs and lists. Empty where nothing is known about the half move. */
export function explanation(all: Decisions, ply: number, reader: Reader): HTMLElement[] {
  const decision = all.decisions.find((each) => each.ply === ply);
  const left = all.leftBook?.ply === ply ? leftPart(all.leftBook, all.edit ?? false, reader) : [];
  const judged = evaluationPart(all.evaluation, ply, reader === 'player' ? text.why.you : text.why.opponent);
  if (!decision) return [...left, ...judged];
  const parts = [
    decision.book ? bookPart(decision.book, decision, all.edit ?? false) : [],
    left,
    decision.search ? searchPart(decision, decision.search) : [],
    decision.book || decision.search ? [] : [h('p', {}, decision.note)],
    [timePart(decision)],
    judged,
  ];
  return parts.flat();
}

/** Replaces the body of a card, and keeps the keyboard focus in the table of terms or the card. */
export function fill(body: HTMLElement, parts: readonly HTMLElement[]): void {
  const isInside = body.contains(document.activeElement);
  body.replaceChildren(...parts);
  if (isInside) (body.querySelector('summary') ?? body).focus();
}

/** The title of the card and the mark of the move; `null` where nothing is known about the half move. */
export function markOf(all: Decisions, ply: number): { readonly name: 'from-book' | 'off-book'; readonly tip: string } | null {
  if (all.leftBook?.ply === ply) return { name: 'off-book', tip: text.why.leftMark };
  const decision = all.decisions.find((each) => each.ply === ply);
  return decision?.from === 'book' ? { name: 'from-book', tip: text.why.bookMark } : null;
}

/** A book line, as a link to the editor if that is switched on. */
export function lineOfBook(at: string, edit: boolean): HTMLElement {
  const [, name, line] = /([^/\\]+)\.book:(\d+)$/.exec(at) ?? [];
  const code = h('code', {}, at);
  return edit && name ? h('a', { href: `edit.html#/book/${encodeURIComponent(name)}:${line}` }, code) : code;
}

const chanceRow = (san: string, chance: number, played: boolean, ...more: readonly Child[]): HTMLElement =>
  h('li', { class: played ? 'played' : false },
    h('span', {}, san),
    h('meter', { min: 0, max: 1, value: chance, 'aria-hidden': 'true' }),
    h('span', {}, percent(chance)),
    ...more,
  );

function bookPart(book: NonNullable<Decision['book']>, { san: played, from }: Decision, edit: boolean): HTMLElement[] {
  const title = from === 'online' ? text.why.serverLine : text.why.bookLine;
  const offers = book.moves.map(({ san, chance }) => chanceRow(san, chance, san === played));
  return [
    h('p', {}, `${title} `, lineOfBook(book.at, edit), book.note && ` · ${book.note}`),
    ...(offers.length > 1 ? [h('ul', { class: 'offers-of-book', 'aria-label': text.why.bookMoves }, ...offers)] : []),
  ];
}

function leftPart({ by, at, note, plan }: LeftBook, edit: boolean, reader: Reader): HTMLElement[] {
  const rows = plan.map(({ san, chance, then }) =>
    chanceRow(san, chance, false, then.length > 0 && h('small', { class: 'then' }, text.why.then(then.join(' ')))));
  return [
    h('p', { class: 'left-book' },
      h('strong', {}, text.why.leftBy(by, reader)),
      at !== null && ` ${text.why.lastLine} `,
      at !== null && lineOfBook(at, edit),
      note !== null && ` · ${note}`,
    ),
    ...(rows.length > 0 ? [h('p', {}, text.why.plan), h('ul', { class: 'offers-of-book plan', 'aria-label': text.why.plan }, ...rows)] : []),
  ];
}

function likeliestPart(likeliest: readonly LikelyMove[], rating: number, played: string | undefined): HTMLElement[] {
  const row = ({ san, prior, chance }: LikelyMove): Child =>
    chanceRow(san, prior, san === played, percent(chance) !== percent(prior) && h('small', { class: 'then' }, text.why.afterSearch(percent(chance))));
  const title = text.why.likeliest(rating);
  return [h('p', {}, title), h('ul', { class: 'offers-of-book', 'aria-label': title }, ...likeliest.map(row))];
}

function searchPart({ depth, nodes }: Decision, { lines, people }: NonNullable<Decision['search']>): HTMLElement[] {
  const [played, ...others] = lines;
  const best = others.reduce<SeenLine | null>((top, line) => (!top || worth(line.score) > worth(top.score) ? line : top), null);
  const said: string[] = [];
  if (people) said.push((people.corrected ? text.why.corrected : text.why.asPeople)(people.rating, percent(people.chance)));
  if (people?.style && !people.corrected && people.style.axes.length > 0) {
    said.push(text.why.styled(people.style.axes.join(text.why.and), percent(people.style.chance)));
  }
  if (people && !people.corrected && played && best?.san[0] && worth(best.score) - worth(played.score) > CLEARLY_BETTER_CP) {
    said.push(text.why.sawBetter(best.san[0], scoreText(best.score)));
  }
  const row = ({ score, san }: SeenLine, i: number): Child =>
    h('li', { class: i === 0 ? 'played' : false }, h('b', {}, scoreText(score)), h('span', {}, san.join(' ')));
  return [
    h('p', {}, depth === null ? text.why.searched : text.why.searchedTo(depth, nodes ?? 0)),
    ...said.map((sentence) => h('p', {}, sentence)),
    ...(people?.likeliest?.length ? likeliestPart(people.likeliest, people.rating, played?.san[0]) : []),
    ...(lines.length > 0 ? [h('ul', { class: 'seen-lines', 'aria-label': text.why.lines }, ...lines.map(row))] : []),
  ];
}

function timePart({ tookMillis, clockMillis }: Decision): HTMLElement {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const left = clockMillis === null ? '' : ` · ${text.why.clock(clockText(clockMillis))}`;
  return h('p', { class: 'note' }, `${text.why.took(seconds(tookMillis))}${left}`);
}
