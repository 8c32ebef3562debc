// The lobby: one big Play that works at once, and below it everything that can be chosen.
import * as api from '../api';
import { h, setText } from '../dom';
import type { Lobby, RunningGame, Setup } from '../model';
import { openGame, type Page } from '../route';
import { text } from '../text';
import { startGame } from './challenge';
import { color, opponents, strength, time, variant, type Part } from './options';
import { initialSetup, rememberSetup, summary } from './setup';

/** How soon the page looks again for a bot or a server that is not there. */
const LOOK_AGAIN_MS = 2_000;

export function lobbyPage(): Page {
  const left = new AbortController();
  const notice = h('p', { class: 'notice', role: 'status' });
  const content = h('div', { class: 'lobby-content' });
  const resume = h('div', { class: 'resume' });
  const element = h('main', { class: 'lobby' }, resume, content, notice);
  setText(notice, text.loading);

  void (async () => {
    const lobby = await untilPresent(left.signal, (problem) => setText(notice, problem));
    if (!lobby) return;
    setText(notice, '');
    content.replaceChildren(...lobbyForm(lobby, left.signal, notice));
    resume.replaceChildren(...(await api.playing().catch(() => [])).map(resumeLine));
  })();
  return { element, close: () => left.abort() };
}

/** The lobby of the server, asked again and again until it has one; null when the page was left. */
async function untilPresent(left: AbortSignal, tell: (problem: string) => void): Promise<Lobby | null> {
  while (!left.aborted) {
    try {
      return await api.lobby();
    } catch (error) {
      tell(`${text.reconnecting} (${(error as Error).message})`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }
  return null;
}

const resumeLine = ({ gameId, opponent }: RunningGame): HTMLElement =>
  h(
    'p',
    { class: 'banner' },
    text.resume(opponent.username),
    h('a', { class: 'button', href: `#/game/${gameId}` }, text.continueGame),
  );

const column = (parts: readonly Part[]): HTMLElement => h('div', {}, ...parts.map(({ element }) => element));

function lobbyForm(first: Lobby, left: AbortSignal, notice: HTMLElement): Node[] {
  let lobby = first;
  let setup = initialSetup(lobby);
  let waiting: AbortController | null = null;
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
    play.disabled = waiting !== null || !isOnline();
    cancel.hidden = waiting === null;
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

  /** The daemon may connect a moment after the page: look again until it has. */
  const awaitBot = async () => {
    while (!isOnline() && !left.aborted) {
      setText(notice, lobby.bot ? text.botOffline(lobby.bot.username) : text.noBot);
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      lobby = await api.lobby().catch(() => lobby);
      if (isOnline()) setText(notice, '');
      render();
    }
  };

  const form = h(
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
  void awaitBot();
  return [form];
}
