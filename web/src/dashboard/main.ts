// The dashboard: a header with the pages, and the page in the URL.
import '../styles/dashboard.css';
import { h } from '../dom';
import { focusHeading, type Page } from '../route';
import { themeSwitch } from '../theme';
import * as api from './api';
import { booksPage } from './books';
import { figuresPage } from './figures';
import { gamePage } from './game';
import { gamesPage } from './games';
import { levelsPage } from './levels';
import { nowPage } from './now';
import { opponentsPage } from './opponents';
import { words } from './words';

const links = Object.entries(words.pages).map(([href, name]) => h('a', { href }, name));
const edit = h('a', { href: 'edit.html', hidden: true }, words.edit);
document.body.append(
  h('header', {},
    h('a', { class: 'logo', href: '#/', title: words.title }, h('img', { src: 'icon.svg', alt: '' }), h('span', {}, words.title)),
    h('nav', { 'aria-label': words.pagesLabel }, ...links, edit),
    themeSwitch(),
  ),
);

let page: Page | null = null;

function open(): void {
  page?.close();
  page?.element.remove();
  const [place = '', query = ''] = location.hash.split('?');
  const id = /^#\/game\/([A-Za-z0-9_-]+)$/.exec(place)?.[1];
  page =
    id !== undefined ? gamePage(id)
    : place === '#/games' ? gamesPage(new URLSearchParams(query))
    : place === '#/opponents' ? opponentsPage()
    : place === '#/figures' ? figuresPage()
    : place === '#/books' ? booksPage()
    : place === '#/levels' ? levelsPage()
    : nowPage();
  for (const link of links) {
    const here = link.hash === (place || '#/') || (id !== undefined && link.hash === '#/games');
    if (here) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.body.append(page.element);
  document.title = `${id === undefined ? (words.pages[place || '#/'] ?? words.pages['#/']) : words.game(id)} – ${words.title}`;
  scrollTo(0, 0);
}

void api.overview().then((now) => (edit.hidden = !now.edit), () => undefined);
addEventListener('hashchange', () => {
  open();
  if (page) focusHeading(page.element);
});
open();
