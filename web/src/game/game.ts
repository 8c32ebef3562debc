// A game on the screen: one state, one `render` that draws all its parts, and the keys that steer them.
import * as api from '../api';
import { h, setText } from '../dom';
import { startGame } from '../lobby/challenge';
import { recallSetup } from '../lobby/setup';
import { opposite } from '../model';
import { openGame, type Page } from '../route';
import { text } from '../text';
import { createActions } from './actions';
import { createAnnouncer } from './announce';
import { createBoard } from './board';
import { createChat } from './chat';
import { createClocks } from './clock';
import { createEntry } from './entry';
import { createMoves } from './moves';
import { createResult } from './result';
import { openSession } from './session';
import { isMyTurn, look, myColor, newGame, shown, type Game } from './state';

const PROBLEM_SHOWN_MS = 6_000;
/** Clocks that show tenths need ten pictures a second. */
const TICK_MS = 100;

export function gamePage(id: string): Page {
  const element = h('main', { class: 'game' }, h('p', { class: 'notice' }, text.loading));
  const left = new AbortController();
  api.guest().then(
    ({ username }) => left.signal.aborted || playGame(newGame(id, username), element, left.signal),
    (error: Error) => element.replaceChildren(h('p', { class: 'notice' }, error.message)),
  );
  return { element, close: () => left.abort() };
}

function playGame(game: Game, element: HTMLElement, left: AbortSignal): void {
  const banner = h('p', { class: 'banner lost', role: 'status', hidden: true }, text.reconnecting);
  const problem = h('p', { class: 'banner problem', role: 'alert', hidden: true });
  let hideProblem = 0;
  const tell = (sentence: string) => {
    setText(problem, sentence);
    problem.hidden = false;
    clearTimeout(hideProblem);
    hideProblem = window.setTimeout(() => (problem.hidden = true), PROBLEM_SHOWN_MS);
  };

  const session = openSession(game, {
    changed: () => render(),
    problem: tell,
    refused: () => element.replaceChildren(notHere()),
  });
  const show = (ply: number) => {
    look(game, ply);
    render();
  };
  const flip = () => {
    game.flipped = !game.flipped;
    render();
  };

  const announcer = createAnnouncer(game);
  const board = createBoard(game, session.play);
  const clocks = createClocks(game);
  const moves = createMoves(game, show, flip);
  const chat = createChat(game, session.say);
  const actions = createActions(game, { command: session.command, announce: announcer.say });
  const entry = createEntry(game, session.play);
  const result = createResult(game, () => rematch(game, left));

  const render = () => {
    banner.hidden = game.open;
    for (const part of [clocks, board, moves, chat, actions, entry, result, announcer]) part.render();
    document.title = isMyTurn(game) ? `${text.yourTurn} · ${text.product}` : text.product;
  };

  element.replaceChildren(
    h('h1', { class: 'only-spoken' }, text.board),
    announcer.element,
    h('div', { class: 'banners' }, banner, problem),
    h('section', { class: 'table', 'aria-label': text.board }, clocks.top, board.element, clocks.bottom),
    h('div', { class: 'side' }, result.element, actions.offers, moves.element, actions.element, entry.element),
    chat.element,
  );
  render();

  const ticking = setInterval(() => {
    clocks.render();
    if (game.claimAt !== null) actions.render();
  }, TICK_MS);
  document.addEventListener('keydown', (event) => onKey(event, game, show, flip), { signal: left });
  left.addEventListener('abort', () => {
    clearTimeout(hideProblem);
    clearInterval(ticking);
    actions.stop();
    board.close();
    session.close();
    document.title = text.product;
  });
}

/** `f` flips, arrows and Home and End look back; keys typed into a field or with a modifier are not ours. */
function onKey(event: KeyboardEvent, game: Game, show: (ply: number) => void, flip: () => void): void {
  const typing = event.target instanceof HTMLInputElement && event.target.type === 'text';
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const ply = shown(game)?.ply ?? 0;
  const steps: Record<string, number> = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: Infinity };
  const target = steps[event.key];
  if (target !== undefined) show(target);
  else if (event.key === 'f') flip();
  else return;
  event.preventDefault();
}

/** The same game with colours swapped: clock and variant of this one, opponent and level as last chosen. */
async function rematch(game: Game, left: AbortSignal): Promise<void> {
  const color = myColor(game);
  if (!game.full || !color) return;
  const { clock, variant } = game.full;
  const lobby = await api.lobby();
  const last = recallSetup();
  const id = await startGame(
    lobby,
    {
      personality: last?.personality ?? '',
      level: last?.level ?? null,
      color: opposite(color),
      clock: clock ? { limit: clock.initial / 1000, increment: clock.increment / 1000 } : null,
      variant: variant.key,
    },
    left,
  );
  openGame(id);
}

const notHere = (): HTMLElement =>
  h('div', { class: 'not-here' }, h('p', {}, text.noSuchGame), h('a', { class: 'button', href: '#/' }, text.toLobby));
