// The player page: a header, and the lobby or a game by URL.
import './styles/app.css';
import { whenLocked } from './api';
import { h } from './dom';
import { gamePage } from './game/game';
import { onNewKey, takeKey } from './key';
import { listenToKeys } from './keys';
import { lobbyPage } from './lobby/lobby';
import { reloadLine } from './reloads';
import { focusHeading, route, type Page } from './route';
import { settingsButton, soundSwitch } from './settings';
import { text } from './text';
import { themeSwitch } from './theme';

// First: every request needs the key.
takeKey();
const header = h(
  'header',
  {},
  h('a', { class: 'logo', href: '#/', title: text.home }, h('img', { src: 'icon.svg', alt: '' }), text.product),
  h('div', { class: 'header-buttons' }, soundSwitch(), themeSwitch(), settingsButton()),
);
document.body.append(header, reloadLine());

let page: Page | null = null;

function show(next: Page, name: string, title: string): void {
  page?.close();
  page?.element.remove();
  page = next;
  document.body.dataset['page'] = name;
  document.body.append(page.element);
  scrollTo(0, 0);
  document.title = `${title} · ${text.product}`;
}

function open(): void {
  if (takeKey() && isLocked()) return location.reload();
  const where = route(location.hash);
  if (where.page === 'game') show(gamePage(where.id), 'game', text.game);
  else show(lobbyPage(), 'lobby', text.lobbyTitle);
}

const isLocked = () => document.body.dataset['page'] === 'locked';
const lockedPage = (): Page => ({
  element: h('main', { class: 'lobby locked' }, h('h1', {}, text.lockedTitle), h('div', { role: 'alert' }, ...text.locked.map((line) => h('p', {}, line)))),
  close: () => undefined,
});

whenLocked(() => isLocked() || show(lockedPage(), 'locked', text.lockedTitle));
onNewKey(() => isLocked() && location.reload());
listenToKeys();
addEventListener('hashchange', () => {
  open();
  if (page) focusHeading(page.element);
});
open();
