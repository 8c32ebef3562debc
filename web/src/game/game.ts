// The game page: one state, one `render` that draws all parts, and the keyboard shortcuts.
import * as api from '../api';
import { h, setText } from '../dom';
import { noteEnd } from '../history';
import { startGame } from '../lobby/challenge';
import { opposite } from '../model';
import { openGame, openLobby, type Page } from '../route';
import { settingsButton } from '../settings';
import { text } from '../text';
import { createActions } from './actions';
import { createAnnouncer } from './announce';
import { createBoard } from './board';
import { createChat } from './chat';
import { createClocks } from './clock';
import { createEntry } from './entry';
import { createMoves } from './moves';
import { createPockets } from './pocket';
import { opponent } from './opponent';
import { createResult, headline } from './result';
import { openSession } from './session';
import { createSounds } from './sounds';
import { isMyTurn, isOver, look, myColor, newGame, type Game } from './state';
import { createTable } from './table';
import { createWhy } from './why';

const PROBLEM_SHOWN_MS = 6_000;
/** Clocks that show tenths are drawn ten times a second. */
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
  /** The page was left, or the server does not know the game any more. */
  const over = new AbortController();
  left.addEventListener('abort', () => over.abort());
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
    refused: () => {
      over.abort();
      element.replaceChildren(notHere(game.full ? text.startedAnew : text.noSuchGame));
    },
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
  const board = createBoard(game, session.play, announcer.say);
  const pockets = createPockets(game, board.hand);
  const table = createTable(game);
  const sounds = createSounds(game);
  const clocks = createClocks(game);
  const moves = createMoves(game, show, flip);
  const chat = createChat(game, session.say);
  const command = (name: api.Command) => {
    if (name === 'draw/yes' || name === 'takeback/yes') chat.expectAnswer();
    session.command(name);
  };
  const actions = createActions(game, { ...session, command, announce: announcer.say });
  // A typed move returns to the current position.
  const entry = createEntry(game, (uci) => {
    show(Infinity);
    session.play(uci);
  });
  const why = createWhy(game);
  const result = createResult(game, () => rematch(game, left));

  let noted = false;
  const render = () => {
    // An answer may arrive after the page was left: the title then belongs to another page.
    if (over.signal.aborted) return;
    banner.hidden = game.open;
    for (const part of [clocks, board, pockets, table, moves, chat, actions, entry, result, why, announcer, sounds]) part.render();
    noted ||= rememberOutcome(game);
    document.title = `${isMyTurn(game) ? text.yourTurn : isOver(game) ? headline(game) : text.game} · ${text.product}`;
  };

  element.replaceChildren(
    h('h1', { class: 'only-spoken' }, text.board),
    announcer.element,
    h('div', { class: 'banners' }, banner, problem),
    h('section', { class: 'table', 'aria-label': text.board }, clocks.top, pockets.top, board.element, pockets.bottom, clocks.bottom, table.element),
    h('div', { class: 'side' }, result.element, actions.offers, moves.element, why.element, actions.element, entry.element, shortcuts()),
    chat.element,
  );
  render();

  const ticking = setInterval(() => {
    clocks.tick();
    sounds.tick();
    if (game.claimAt !== null) actions.render();
  }, TICK_MS);
  over.signal.addEventListener('abort', () => {
    clearTimeout(hideProblem);
    clearInterval(ticking);
    actions.stop();
    board.close();
    session.close();
    document.title = text.product;
  });
}

/** Once over, the game counts on the opponent's card in the lobby; true when it does. */
function rememberOutcome(game: Game): boolean {
  const { state } = game;
  const color = myColor(game);
  const who = isOver(game) ? opponent(game, game.lobby) : null;
  if (!state || !color || !who || state.status === 'aborted') return false;
  noteEnd(game.id, who.name, !state.winner ? 'drawn' : state.winner === color ? 'won' : 'lost');
  return true;
}

/** The same game with colours swapped: clock and variant of this one, personality and level too unless others were promised. */
async function rematch(game: Game, left: AbortSignal): Promise<void> {
  const color = myColor(game);
  if (!game.full || !color) return;
  const { clock, variant } = game.full;
  const lobby = await api.lobby();
  const who = opponent(game, lobby);
  const id = await startGame(
    lobby,
    {
      personality: who?.next.name ?? '',
      level: who?.next.asked ?? null,
      color: opposite(color),
      clock: clock ? { limit: clock.initial / 1000, increment: clock.increment / 1000 } : null,
      variant: variant.key,
    },
    left,
  );
  openGame(id);
}

/** What the header offers, for a phone held sideways, which has no room for it. */
const shortcuts = (): HTMLElement =>
  h('div', { class: 'shortcuts' }, h('button', { type: 'button', onclick: openLobby }, text.toLobby), settingsButton());

const notHere = (why: string): HTMLElement =>
  h('div', { class: 'not-here' }, h('p', { role: 'status' }, why), h('a', { class: 'button', href: '#/' }, text.toLobby));
