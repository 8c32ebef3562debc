// The lobby: a Play button with good defaults, and all options below it.
import * as api from '../api';
import { h, setText } from '../dom';
import type { Lobby, RunningGame, Setup } from '../model';
import { openGame, type Page } from '../route';
import { pauseOrWake } from '../stream';
import { text } from '../text';
import { startGame } from './challenge';
import { color, opponents, strength, time, variant, type Part } from './options';
import { initialSetup, rememberSetup, summary } from './setup';

/** Interval of polling the server for changes of bot, games and personalities. */
const LOOK_AGAIN_MS = 2_000;

export function lobbyPage(): Page {
  const left = new AbortController();
  const notice = h('p', { class: 'notice', role: 'status' });
  const content = h('div', { class: 'lobby-content' });
  const resume = h('div', { class: 'resume' });
  const element = h('main', { class: 'lobby' }, resume, content, notice);
  setText(notice, text.loading);

  let form: Form | null = null;
  let offered = '';
  const show = (lobby: Lobby) => {
    const offer = JSON.stringify({ ...lobby, bot: null });
    if (form && (offer === offered || form.isWaiting())) return form.see(lobby);
    offered = offer;
    form = lobbyForm(lobby, form?.setup() ?? null, left.signal, notice);
    inPlaceOf(content, form.element);
  };
  let running = '';
  const showGames = (games: readonly RunningGame[]) => {
    const ids = games.map(({ gameId }) => gameId).join();
    if (ids !== running) resume.replaceChildren(...games.map(resumeLine));
    running = ids;
  };
  const look = async () => {
    try {
      show(await api.lobby());
      showGames(await api.playing());
    } catch (error) {
      const problem = `${text.reconnecting} (${(error as Error).message})`;
      if (form) form.miss(problem);
      else setText(notice, problem);
    }
  };

  void (async () => {
    while (!left.signal.aborted) {
      if (!form || !document.hidden) await look();
      await pauseOrWake(LOOK_AGAIN_MS, left.signal);
    }
  })();
  return { element, close: () => left.abort() };
}

/** Restores focus and scroll position after the form was rebuilt. */
function inPlaceOf(content: HTMLElement, form: HTMLElement): void {
  const controls = (within: HTMLElement) => [...within.querySelectorAll<HTMLElement>('input, button, a')];
  const before = controls(content);
  const focused = before.findIndex((control) => control === document.activeElement);
  content.replaceChildren(form);
  const now = controls(form);
  if (focused >= 0 && now.length === before.length) now[focused]?.focus({ preventScroll: true });
  // On a phone the cards are a strip: scroll the chosen one into view, but not the page.
  const chosen = form.querySelector('.opponents input:checked')?.closest('.tile');
  const strip = chosen?.parentElement;
  if (!chosen || !strip) return;
  const [card, all] = [chosen.getBoundingClientRect(), strip.getBoundingClientRect()];
  strip.scrollLeft += card.left - all.left - (all.width - card.width) / 2;
}

const resumeLine = ({ gameId, opponent }: RunningGame): HTMLElement =>
  h(
    'p',
    { class: 'banner' },
    text.resume(opponent.username),
    h('a', { class: 'button', href: `#/game/${gameId}` }, text.continueGame),
  );

const column = (parts: readonly Part[]): HTMLElement => h('div', {}, ...parts.map(({ element }) => element));

interface Form {
  readonly element: HTMLElement;
  setup(): Setup;
  /** A challenge was sent and is not answered yet. */
  isWaiting(): boolean;
  /** The last answer of the server. */
  see(lobby: Lobby): void;
  /** The server cannot be reached. */
  miss(problem: string): void;
}

function lobbyForm(first: Lobby, chosen: Setup | null, left: AbortSignal, notice: HTMLElement): Form {
  let lobby = first;
  let lost = '';
  let setup = initialSetup(lobby, chosen);
  let waiting: AbortController | null = null;
  /** The notice about server and bot; the outcome of a challenge stays until this changes. */
  let standing: string | null = null;
  const isOnline = () => lobby.bot?.online ?? false;

  const change = (part: Partial<Setup>) => {
    setup = { ...setup, ...part };
    rememberSetup(setup);
    render();
  };
  const who = [opponents(lobby, change)].filter((part) => part !== null);
  const terms = [strength(lobby, change), time(lobby, change), color(change), variant(change)].filter(
    (part) => part !== null,
  );
  const line = h('p', { class: 'summary' });
  const play = h('button', { type: 'submit', class: 'play' }, text.play);
  const cancel = h('button', { type: 'button', hidden: true, onclick: () => waiting?.abort() }, text.cancel);

  const render = () => {
    for (const part of [...who, ...terms]) part.render(setup);
    setText(line, summary(setup, lobby));
    play.disabled = waiting !== null || lost !== '' || !isOnline();
    cancel.hidden = waiting === null;
    if (waiting) return;
    const now = lost || (isOnline() ? '' : lobby.bot ? text.botOffline(lobby.bot.username) : text.noBot);
    if (now !== standing) setText(notice, now);
    standing = now;
  };

  const press = async () => {
    waiting = new AbortController();
    left.addEventListener('abort', () => waiting?.abort());
    setText(notice, text.waiting(lobby.bot?.username ?? text.product));
    render();
    try {
      rememberSetup(setup);
      openGame(await startGame(lobby, setup, waiting.signal));
    } catch (error) {
      setText(notice, waiting.signal.aborted ? '' : (error as Error).message);
    }
    waiting = null;
    render();
  };

  const element = h(
    'form',
    { onsubmit: (event: SubmitEvent) => { event.preventDefault(); void press(); } },
    h(
      'div',
      { class: 'top' },
      h(
        'div',
        { class: 'hero' },
        h('div', {}, h('h1', {}, text.lobbyTitle), line),
        h('div', { class: 'go' }, play, cancel),
      ),
      notice,
    ),
    h('div', { class: 'choices' }, column(who), column(terms)),
    lobby.edit && h('p', { class: 'edit' }, h('a', { href: 'edit.html' }, text.edit)),
  );
  render();
  return {
    element,
    setup: () => setup,
    isWaiting: () => waiting !== null,
    see(now) {
      [lobby, lost] = [now, ''];
      render();
    },
    miss(problem) {
      lost = problem;
      render();
    },
  };
}
