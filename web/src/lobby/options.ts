// The choices of a game as form controls: cards of opponents, the strength slider, time, colour and variant.
import { figure, h, setText } from '../dom';
import { scoreAgainst } from '../history';
import type { Clock, Lobby, Personality, Setup } from '../model';
import { text } from '../text';
import { VARIANTS } from '../variants';
import { chosen, clockName, clockPresets, COLORS, speedName } from './setup';

export interface Part {
  readonly element: HTMLElement;
  render(setup: Setup): void;
}

type Change = (change: Partial<Setup>) => void;

interface Choice<T> {
  readonly value: T;
  readonly label: readonly (Node | string)[];
}

/** A group of radio buttons drawn as tiles. */
function tiles<T>(
  name: string,
  legend: string,
  choices: readonly Choice<T>[],
  isChosen: (value: T, setup: Setup) => boolean,
  choose: (value: T) => void,
): Part {
  const inputs = choices.map(({ value }) => h('input', { type: 'radio', name, onchange: () => choose(value) }));
  const labels = choices.map(({ label }, i) => h('label', { class: 'tile' }, inputs[i], h('span', {}, ...label)));
  return {
    element: h('fieldset', { class: `tiles ${name}` }, h('legend', {}, legend), h('div', { class: 'row' }, ...labels)),
    render(setup) {
      choices.forEach(({ value }, i) => {
        const input = inputs[i];
        if (input) input.checked = isChosen(value, setup);
      });
    },
  };
}

/** The stronger the opponent, the bigger the piece on the card; without a level it is a king, which has no value either. */
function rank(level: number | null): string {
  if (level === null) return 'king';
  const steps: readonly [number, string][] = [[1000, 'pawn'], [1400, 'knight'], [1800, 'bishop'], [2200, 'rook']];
  return steps.find(([below]) => level < below)?.[1] ?? 'queen';
}

const order = ({ level }: Personality): number => level ?? Number.MAX_VALUE;

/** How a personality plays, in a few words. */
function tags({ books, pace, takebacks }: Personality): string[] {
  const found = [];
  if (books) found.push(books[0] === undefined ? text.noBooks : text.opens(books[0]));
  if (pace) found.push(text.paces[pace]);
  if (takebacks !== undefined) found.push(text.takebacks(takebacks));
  return found;
}

function scoreLine({ name }: Personality): string[] {
  const score = scoreAgainst(name);
  return score ? [text.scoreLine(score)] : [];
}

/** The cards from weak to strong, those without a level last. */
export function opponents({ personalities }: Lobby, change: Change): Part | null {
  if (personalities.length === 0) return null;
  const card = (who: Personality): Choice<string> => ({
    value: who.name,
    label: [
      figure(rank(who.level), 'black'),
      h('strong', {}, who.title),
      h('small', {}, text.levelTag(who.level)),
      h('span', { class: 'about' }, who.about),
      h('span', { class: 'tags' }, ...tags(who).map((tag) => h('small', {}, tag))),
      h('small', { class: 'score' }, ...scoreLine(who)),
    ],
  });
  return tiles(
    'opponents',
    text.opponents,
    [...personalities].sort((a, b) => order(a) - order(b)).map(card),
    (name, setup) => name === setup.personality,
    (personality) => change({ personality, level: null }),
  );
}

/** The slider, where the server knows levels. */
export function strength(lobby: Lobby, change: Change): Part | null {
  const { min, max, step = 50, note = '' } = lobby.levels;
  if (min === undefined || max === undefined) return null;
  const id = 'strength';
  const slider = h('input', { type: 'range', id, min, max, step, 'aria-describedby': 'strength-note' });
  const value = h('output', { for: id });
  const source = h('span');
  const reset = h('button', { type: 'button', class: 'link', onclick: () => change({ level: null }) }, text.levelReset);
  slider.addEventListener('input', () => change({ level: Number(slider.value) }));
  return {
    element: h(
      'div',
      { class: 'strength' },
      h('div', { class: 'spread' }, h('label', { for: id }, text.strength), value),
      slider,
      h('p', { class: 'note', id: 'strength-note' }, source, ' ', text.calibration(note), ' ', reset),
    ),
    render(setup) {
      const who = chosen(setup, lobby);
      const level = setup.level ?? who?.level ?? null;
      slider.value = String(level ?? max);
      slider.setAttribute('aria-valuetext', text.levelValue(level));
      setText(value, text.levelValue(level));
      if (who) setText(source, setup.level === null ? text.ownLevel(who) : text.levelChanged(who));
      reset.hidden = setup.level === null;
    },
  };
}

export function time(lobby: Lobby, change: Change): Part {
  const sameClock = (a: Clock | null, b: Clock | null) =>
    a === b || (a !== null && b !== null && a.limit === b.limit && a.increment === b.increment);
  return tiles<Clock | null>(
    'time',
    text.time,
    [...clockPresets(lobby), null].map((clock) => ({
      value: clock,
      label: [
        h('strong', {}, clock ? clockName(clock) : '∞'),
        h('small', {}, clock ? speedName(clock) : text.unlimited),
      ],
    })),
    (clock, setup) => sameClock(clock, setup.clock),
    (clock) => change({ clock }),
  );
}

export function color(change: Change): Part {
  const mark = (value: Setup['color']) =>
    value === 'random'
      ? h('span', { class: 'figures' }, figure('king', 'white'), figure('king', 'black'))
      : figure('king', value);
  return tiles<Setup['color']>(
    'color',
    text.color,
    COLORS.map((value) => ({ value, label: [mark(value), h('small', {}, text.colors[value])] })),
    (value, setup) => value === setup.color,
    (value) => change({ color: value }),
  );
}

export function variant(change: Change): Part {
  return tiles<string>(
    'variant',
    text.variant,
    VARIANTS.map((value) => ({ value, label: [h('strong', {}, text.variants[value] ?? value)] })),
    (value, setup) => value === setup.variant,
    (value) => change({ variant: value }),
  );
}
