// After the game: the card of the bot's move that the board shows.
import { h, setText } from '../dom';
import { text } from '../text';
import { explanation, fill, numbered } from '../why';
import { isOver, shown, type Game } from './state';

export function createWhy(game: Game) {
  const title = h('h2');
  const body = h('div', { class: 'why-body', tabindex: -1, 'aria-live': 'polite' });
  const element = h('section', { class: 'why', tabindex: 0, 'aria-label': text.why.title, hidden: true }, title, body);
  let drawn = -1;

  return {
    element,
    render() {
      const all = game.why;
      const now = shown(game);
      element.hidden = !isOver(game) || !all || all.decisions.length === 0;
      if (element.hidden || !all || !now || now.ply === drawn) return;
      drawn = now.ply;
      const decision = all.decisions.find(({ ply }) => ply === now.ply);
      const told = explanation(all, now.ply, 'player');
      const played = numbered(now.ply, decision?.san ?? game.view?.moves[now.ply - 1]?.san ?? '', game.view?.initialFen ?? '');
      setText(title, told.length === 0 ? text.why.title : decision ? text.why.of(played) : text.why.ofYours(played));
      fill(body, told.length > 0 ? told : [h('p', { class: 'note' }, text.why.choose)]);
    },
  };
}
