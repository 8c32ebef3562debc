// Editor page: the list of books and personalities, and the editor of the one in the URL.
import '../styles/edit.css';
import { h } from '../dom';
import { onNewKey } from '../key';
import type { Page } from '../route';
import { themeSwitch } from '../theme';
import * as api from './api';
import { editorPage } from './editor';
import { words } from './words';

const nav = h('nav', { 'aria-label': words.title });
const main = h('main', {}, h('p', { class: 'note', role: 'status' }, words.loading));
document.body.append(
  h('header', {},
    h('a', { class: 'logo', href: '/', title: words.backTip }, h('img', { src: 'icon.svg', alt: '' }), words.back),
    h('span', { class: 'title' }, words.title),
    themeSwitch()),
  h('div', { class: 'workspace' }, nav, main),
);

let page: Page | null = null;
/** Counts openings, to drop the answer of an earlier one. */
let opening = 0;

/** `#/book/starter:41` is line 41 of that book. */
function place(): { kind: api.Kind; name: string; line: number | null } | null {
  const [, kind, name, line] = /^#\/(book|personality)\/([^/]+?)(?::(\d+))?$/.exec(location.hash) ?? [];
  if (!kind || !name) return null;
  try {
    return { kind: kind as api.Kind, name: decodeURIComponent(name), line: line ? Number(line) : null };
  } catch {
    return null; // An address with a stray percent sign.
  }
}

async function open(): Promise<void> {
  const mine = (opening += 1);
  page?.close();
  page = null;
  const where = place();
  for (const link of nav.querySelectorAll('a')) {
    const here = where !== null && link.dataset['file'] === `${where.kind}/${where.name}`;
    if (here) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  if (!where) return main.replaceChildren(h('h1', {}, words.title), h('p', { class: 'note' }, words.choose));
  try {
    const opened = await api.open(where.kind, where.name);
    if (mine !== opening) return;
    page = editorPage(opened, where.line);
    main.replaceChildren(page.element);
  } catch (error) {
    if (mine === opening) main.replaceChildren(h('h1', {}, where.name), h('p', { role: 'alert' }, words.failed((error as Error).message)));
  }
}

async function start(): Promise<void> {
  try {
    const { files, most } = await api.files();
    if (files.length === 0) return main.replaceChildren(h('h1', {}, words.title), h('p', { class: 'note' }, words.nothing));
    for (const kind of ['book', 'personality'] as const) {
      const rows = files.filter((file) => file.kind === kind);
      if (rows.length > 0) nav.append(h('h2', {}, words.kinds[kind]), h('ul', {}, ...rows.map((file) => fileRow(file, most))));
    }
    if (!place()) {
      const [first] = files;
      if (first) history.replaceState(null, '', `#/${first.kind}/${encodeURIComponent(first.name)}`);
    }
    await open();
  } catch (error) {
    main.replaceChildren(h('h1', {}, words.title), h('p', { role: 'alert' }, words.failed((error as Error).message)));
  }
}

const fileRow = ({ kind, name, bytes }: api.FileRow, most: number): HTMLElement =>
  h('li', {}, bytes > most
    ? h('span', { class: 'note' }, `${name} (${words.tooLarge})`)
    : h('a', { href: `#/${kind}/${encodeURIComponent(name)}`, 'data-file': `${kind}/${name}` }, name));

addEventListener('hashchange', () => void open());
onNewKey(() => nav.childElementCount === 0 && void start());
void start();
