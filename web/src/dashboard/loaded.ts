// A page made of one response, with texts for loading and failure.
import { h, type Child } from '../dom';
import type { Page } from '../route';
import { words } from './words';

export function loadedPage(title: string, load: (left: AbortSignal) => Promise<readonly Child[]>): Page {
  const left = new AbortController();
  const body = h('div', { class: 'content' }, h('p', { class: 'note', role: 'status' }, words.loading));
  const show = (children: readonly Child[]) => {
    if (!left.signal.aborted) body.replaceChildren(...children.filter((child): child is Node | string => Boolean(child)));
  };
  load(left.signal).then(show, (error: Error) => show([h('p', { role: 'alert' }, words.failed(error.message))]));
  return { element: h('main', {}, h('h1', {}, title), body), close: () => left.abort() };
}

/** A table that scrolls sideways where it must, by keyboard too. */
export function table(label: string, heads: readonly string[], rows: readonly (readonly Child[])[]): HTMLElement {
  const head = h('tr', {}, ...heads.map((name) => h('th', { scope: 'col' }, name)));
  const body = rows.map(tableRow);
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label },
    h('table', {}, h('thead', {}, head), h('tbody', {}, ...body)));
}

export const tableRow = (cells: readonly Child[]): HTMLElement => h('tr', {}, ...cells.map((cell) => h('td', {}, cell)));

/** A time in the reader's time zone. */
export const moment = (epoch: number): string =>
  new Date(epoch).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
