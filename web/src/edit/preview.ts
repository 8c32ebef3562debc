// Preview of the text: a book as a tree of moves, a personality as its parameters and keys.
import { h, setText } from '../dom';
import { percent } from '../why';
import type { BookPreview, Branch, Kind, PersonalityPreview } from './api';
import { words } from './words';

/** The options of the preview. */
export interface Wanted {
  readonly from?: string;
  readonly depth?: number;
  readonly level?: number | null;
}

export interface Preview {
  readonly element: HTMLElement;
  readonly wanted: () => Wanted;
  show(preview: BookPreview | PersonalityPreview | null): void;
}

export const createPreview = (kind: Kind, path: string, changed: () => void, goToLine: (line: number) => void): Preview =>
  kind === 'book' ? bookPreview(path, changed, goToLine) : personalityPreview(changed, goToLine);

const DEPTHS = [2, 4, 6, 8, 12];

function bookPreview(path: string, changed: () => void, goToLine: (line: number) => void): Preview {
  const from = h('input', { id: 'from', type: 'text', placeholder: words.fromHint, spellcheck: 'false', autocomplete: 'off', oninput: changed });
  const depth = h('select', { id: 'depth', onchange: changed },
    ...DEPTHS.map((plies) => h('option', { value: plies, selected: plies === 4 }, String(plies))));
  const note = h('p', { class: 'note' }, words.loading);
  const tree = h('ol', { class: 'tree' });
  return {
    element: h('section', { class: 'preview', 'aria-label': words.tree },
      h('h2', {}, words.tree),
      h('div', { class: 'asked' }, h('label', { for: 'from' }, words.from), from, h('label', { for: 'depth' }, words.depth), depth),
      note, tree),
    wanted: () => ({ from: from.value, depth: Number(depth.value) }),
    show(preview) {
      const book = preview as BookPreview | null;
      tree.replaceChildren(...(book?.branches ?? []).map((branch) => branchRow(branch, path, goToLine)));
      if (!book) return setText(note, words.noTree);
      if (book.trouble !== null) return setText(note, book.trouble);
      const more = book.more > 0 ? ` ${words.more(book.more)}.` : '';
      setText(note, book.branches.length === 0 ? words.noMoves : `${words.treeNote(book.lines, book.positions)}${more}`);
    },
  };
}

function branchRow({ depth, move, chance, at, name, seen }: Branch, path: string, goToLine: (line: number) => void): HTMLElement {
  const [file = '', line = ''] = [at.slice(0, at.lastIndexOf(':')), at.slice(at.lastIndexOf(':') + 1)];
  const place = file === path
    ? h('button', { type: 'button', class: 'link', 'aria-label': words.toLine(line), onclick: () => goToLine(Number(line)) }, `:${line}`)
    : h('code', {}, at);
  const moved = h('span', { class: 'move' }, move, seen && h('small', { title: words.seen }, ' ='));
  moved.style.paddingLeft = `${Math.min(depth, 11) * 14}px`;
  return h('li', {},
    h('span', { class: 'chance' }, percent(chance)), moved,
    h('small', { class: 'name' }, name ?? ''), place);
}

function personalityPreview(changed: () => void, goToLine: (line: number) => void): Preview {
  let level: number | null = null;
  const about = h('p', {});
  const strength = h('p', { class: 'note' }, words.loading);
  const slider = h('input', {
    id: 'level', type: 'range', min: 600, max: 2800, step: 50, value: 1500,
    oninput: () => { level = Number(slider.value); changed(); },
  });
  const shown = h('output', { for: 'level' }, words.ownLevel);
  const own = h('button', { type: 'button', class: 'link', onclick: () => { level = null; changed(); } }, words.ownLevel);
  const knobs = h('tbody', {});
  const keys = h('tbody', {});
  const heads = (...names: readonly string[]) => h('thead', {}, h('tr', {}, ...names.map((name) => h('th', { scope: 'col' }, name))));
  const scroll = (label: string, ...children: readonly HTMLElement[]) =>
    h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, h('table', {}, ...children));
  const lineCell = (line: number | null) =>
    h('td', {}, line !== null && h('button', { type: 'button', class: 'link', 'aria-label': words.toLine(String(line)), onclick: () => goToLine(line) }, `:${line}`));
  return {
    element: h('section', { class: 'preview', 'aria-label': words.knobs },
      h('h2', {}, words.knobs), about, strength,
      h('div', { class: 'asked' }, h('label', { for: 'level' }, words.tryLevel), shown, slider, own),
      scroll(words.tryLevel, heads(words.knob, words.value, words.meaning), knobs),
      h('h2', {}, words.keysOf),
      scroll(words.keysOf, heads(words.knob, words.value, words.line, words.meaning), keys)),
    wanted: () => ({ level }),
    show(preview) {
      const said = preview as PersonalityPreview | null;
      if (!said) return setText(strength, words.noKnobs);
      setText(about, `${said.title}: ${said.about}`);
      setText(strength, words.strength(said.strength));
      [slider.min, slider.max] = [String(said.levels.min), String(said.levels.max)];
      if (level === null) slider.value = String(said.ownLevel ?? 1500);
      setText(shown, said.level === null ? words.ownLevel : String(said.level));
      own.hidden = said.level === null;
      knobs.replaceChildren(...said.knobs.map(({ name, value, doc }) =>
        h('tr', {}, h('th', { scope: 'row' }, name), h('td', {}, value), h('td', {}, doc))));
      keys.replaceChildren(...said.keys.map(({ path, value, doc, line }) =>
        h('tr', { class: line === null ? false : 'written' }, h('th', { scope: 'row' }, path), h('td', {}, value), lineCell(line), h('td', {}, doc))));
    },
  };
}
