// The buttons of a running game, and the offers that wait for an answer.
import type { Command } from '../api';
import { h, icon, setText, type IconName } from '../dom';
import { opposite } from '../model';
import { text } from '../text';
import { twice } from '../twice';
import { isOver, isPlaying, myColor, offers, playerName, plies, type Game } from './state';

interface Callbacks {
  command(name: Command): void;
  moreTime(): void;
  announce(line: string): void;
}

function action(name: IconName, key: string, label: string, tip: string, press?: () => void) {
  const caption = h('span', {}, label);
  const about = { class: 'action', title: `${tip} (${key})`, 'aria-keyshortcuts': key };
  const element = h('button', { type: 'button', ...about, onclick: press }, icon(name), caption);
  return { element, label: (value: string) => setText(caption, value) };
}

export function createActions(game: Game, { command, moreTime, announce }: Callbacks) {
  const takeback = action('takeback', 't', text.takeback, text.takebackTip, () => command('takeback/yes'));
  const draw = action('draw', 'd', text.draw, text.drawTip, () => command('draw/yes'));
  const more = action('more', '+', text.moreTime, text.moreTimeTip, moreTime);
  const abort = action('abort', 'a', text.abort, text.abortTip, () => command('abort'));
  const resign = action('resign', 'r', text.resign, text.resignTip);
  const { disarm } = twice(resign.element, (armed) => {
    resign.label(armed ? text.resignConfirm : text.resign);
    if (armed) announce(text.resignConfirmSpoken);
  }, () => command('resign'));
  const offer = h('div', { class: 'offers', 'aria-live': 'polite' });
  let offered = '';

  const buttons = [takeback, draw, more, abort, resign].map(({ element }) => element);
  const element = h('div', { class: 'actions' }, ...buttons);
  return {
    element,
    offers: offer,
    render() {
      const color = myColor(game);
      const playing = isPlaying(game);
      const early = plies(game) < 2;
      more.element.hidden = !game.full?.clock || game.full.rated === true;
      abort.element.hidden = !early;
      resign.element.hidden = early;
      element.hidden = !playing;
      if (!playing) disarm();
      if (color) {
        draw.element.disabled = early || offers(game, 'draw', color);
        draw.label(offers(game, 'draw', color) ? text.offered : text.draw);
        takeback.element.disabled = early || offers(game, 'takeback', color);
        takeback.label(offers(game, 'takeback', color) ? text.offered : text.takeback);
      }
      const waiting = color && playing ? waitingOffers(game, command) : [];
      const key = waiting.map((node) => node.textContent).join();
      if (key !== offered) offer.replaceChildren(...waiting);
      offered = key;
    },
    stop: disarm,
  };
}

/** Open offers of the opponent, with accept and decline. */
function waitingOffers(game: Game, command: (name: Command) => void): HTMLElement[] {
  const color = myColor(game);
  if (!color) return [];
  const them = opposite(color);
  const name = playerName(game, them);
  const answer = (label: string, reply: Command) =>
    h('button', { type: 'button', onclick: () => command(reply) }, label);
  const lines = [];
  for (const what of ['draw', 'takeback'] as const) {
    if (!offers(game, what, them)) continue;
    const question = what === 'draw' ? text.offersDraw(name) : text.offersTakeback(name);
    const answers = [answer(text.accept, `${what}/yes`), answer(text.decline, `${what}/no`)];
    lines.push(h('p', { class: 'banner' }, h('span', {}, question), ...answers));
  }
  if (game.claimAt !== null && !isOver(game)) {
    const seconds = Math.ceil((game.claimAt - performance.now()) / 1000);
    lines.push(
      seconds > 0
        ? h('p', { class: 'banner' }, text.opponentGone(name, seconds))
        : h('p', { class: 'banner' }, text.opponentGoneNow(name), answer(text.claim, 'claim-victory')),
    );
  }
  return lines;
}
