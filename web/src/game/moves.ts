// The move list: two columns of SAN, a click or an arrow key looks back.
import { h, icon, setText, type IconName } from '../dom';
import { text } from '../text';
import { markOf } from '../why';
import { shown, type Game } from './state';

export function createMoves(game: Game, show: (ply: number) => void, flip: () => void) {
  const list = h('ol', { class: 'move-list', 'aria-label': text.moves });
  const empty = h('p', { class: 'note' }, text.noMoves);
  const news = h('span');
  const past = h(
    'div',
    { class: 'past', hidden: true },
    news,
    h('button', { type: 'button', onclick: () => show(Infinity) }, text.backToGame),
  );
  const box = h('div', { class: 'move-scroll' }, empty, list);
  // The result of the game takes room from the list: the move in sight stays in sight.
  new ResizeObserver(() => scrollTo(box, buttons[visible - 1])).observe(box);
  const buttons: HTMLButtonElement[] = [];
  let firstIsBlack = false;
  let visible = -1;
  let marked: Game['why'] = null;

  const ply = () => shown(game)?.ply ?? 0;
  const step = (name: IconName, key: string, label: string, press: () => void) =>
    h(
      'button',
      { type: 'button', class: name, 'aria-label': label, 'aria-keyshortcuts': key, title: label, onclick: press },
      icon(name),
    );
  const steps = h(
    'div',
    { class: 'steps' },
    step('first', 'Home', text.firstMove, () => show(0)),
    step('back', 'ArrowLeft', text.moveBack, () => show(ply() - 1)),
    step('forward', 'ArrowRight', text.moveForward, () => show(ply() + 1)),
    step('last', 'End', text.lastMove, () => show(Infinity)),
    step('flip', 'f', text.flip, flip),
  );

  /** Keep what is there and only add, drop or rename what changed: a game appends one move at a time. */
  const syncButtons = () => {
    const moves = game.view?.moves ?? [];
    const blackFirst = game.view?.initialFen.split(' ')[1] === 'b';
    if (blackFirst !== firstIsBlack || moves.length < buttons.length) {
      firstIsBlack = blackFirst;
      buttons.length = 0;
      list.replaceChildren();
    }
    moves.forEach(({ san }, i) => {
      const known = buttons[i];
      if (known) return setText(known, san);
      const button = h('button', { type: 'button', tabindex: -1, onclick: () => show(i + 1) }, san);
      buttons.push(button);
      const column = (i + Number(firstIsBlack)) % 2;
      if (column === 0 || i === 0) list.append(h('li', {}, column === 1 && h('span', { class: 'gap' }, '…')));
      list.lastElementChild?.append(button);
    });
    empty.hidden = buttons.length > 0;
  };

  /** Once it is known where the bot's moves are from: the book's wear a mark, and so does the one that left it. */
  const markSources = () => {
    const { why } = game;
    if (!why || why === marked) return;
    marked = why;
    buttons.forEach((button, i) => {
      const mark = markOf(why, i + 1);
      if (!mark) return;
      button.classList.add(mark.name);
      button.title = mark.tip;
    });
  };

  return {
    element: h(
      'section',
      { class: 'moves', 'aria-label': text.moves },
      past,
      box,
      steps,
    ),
    render() {
      syncButtons();
      const now = ply();
      markSources();
      buttons.forEach((button, i) => {
        const current = i + 1 === now;
        button.tabIndex = current ? 0 : -1;
        if (current) button.setAttribute('aria-current', 'true');
        else button.removeAttribute('aria-current');
      });
      past.hidden = game.looking === null;
      past.classList.toggle('news', game.news);
      setText(news, game.news ? text.pastPositionNews : text.pastPosition);
      if (now === visible) return;
      visible = now;
      scrollTo(list.parentElement, buttons[now - 1]);
    },
  };
}

/** Bring a move into sight within the list alone: `scrollIntoView` would move the whole page on a phone. */
function scrollTo(box: HTMLElement | null, move: HTMLElement | undefined): void {
  if (!box) return;
  if (!move) return box.scrollTo(0, 0);
  const [outer, inner] = [box.getBoundingClientRect(), move.getBoundingClientRect()];
  box.scrollBy(
    inner.left < outer.left || inner.right > outer.right ? inner.left - outer.left - outer.width / 2 : 0,
    inner.top < outer.top || inner.bottom > outer.bottom ? inner.top - outer.top - outer.height / 2 : 0,
  );
}
