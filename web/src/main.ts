// The page in the browser: a header, and below it the lobby or a game as the address says.
import './styles/app.css';
import { h } from './dom';
import { gamePage } from './game/game';
import { listenToKeys } from './keys';
import { lobbyPage } from './lobby/lobby';
import { reloadLine } from './reloads';
import { focusHeading, route, type Page } from './route';
import { settingsButton, soundSwitch } from './settings';
import { text } from './text';
import { themeSwitch } from './theme';

const header = h(
  'header',
  {},
  h('a', { class: 'logo', href: '#/', title: text.home }, h('img', { src: 'icon.svg', alt: '' }), text.product),
  h('div', { class: 'header-buttons' }, soundSwitch(), themeSwitch(), settingsButton()),
);
document.body.append(header, reloadLine());

let page: Page | null = null;

function open(): void {
  page?.close();
  page?.element.remove();
  const where = route(location.hash);
  page = where.page === 'game' ? gamePage(where.id) : lobbyPage();
  document.body.dataset['page'] = where.page;
  document.body.append(page.element);
  scrollTo(0, 0);
  document.title = `${where.page === 'game' ? text.game : text.lobbyTitle} · ${text.product}`;
}

listenToKeys();
addEventListener('hashchange', () => {
  open();
  if (page) focusHeading(page.element);
});
open();
