// The end of the game: who won and why, what to keep of it, and the way to the next one. It never covers the board.
import * as api from '../api';
import { h, setText } from '../dom';
import { isRunning } from '../model';
import { openLobby } from '../route';
import { text } from '../text';
import { isOver, myColor, shown, type Game } from './state';

export function headline(game: Game): string {
  const { state } = game;
  const color = myColor(game);
  if (!state) return '';
  if (state.status === 'aborted') return text.aborted;
  if (!state.winner) return text.drawn;
  if (!color) return text.wins(state.winner);
  return state.winner === color ? text.won : text.lost;
}

/** The server's sentence if it already speaks of the end, without its full stop. */
export function reason({ view, state, full }: Game): string {
  const told = view && !isRunning(view.status) ? view.reason.replace(/\.$/, '') : '';
  return told || text.reason(state?.status ?? '', full?.variant.key);
}

/** Empty for aborted games: nobody scored. */
function score({ state }: Game): string {
  if (state?.status === 'aborted') return '';
  if (!state?.winner) return '½-½';
  return state.winner === 'white' ? '1-0' : '0-1';
}

export function createResult(game: Game, rematch: () => Promise<void>) {
  const title = h('h2');
  const points = h('span', { class: 'score' });
  const why = h('p');
  const note = h('p', { class: 'note', role: 'status' });
  /** A button whose press ends in a word to the player, or none. */
  const button = (label: string, press: () => Promise<string>, about: Readonly<Record<string, string>> = {}) => {
    const failed = (error: Error) => text.commandFailed(error.message);
    const onclick = () => void press().catch(failed).then((said) => setText(note, said));
    return h('button', { type: 'button', ...about, onclick }, label);
  };

  const again = button(text.rematch, async () => {
    again.disabled = true;
    const problem = await rematch().then(() => '', (error: Error) => error.message);
    again.disabled = false;
    return problem;
  }, { class: 'primary', title: text.rematchTip, 'aria-keyshortcuts': 'n' });
  const newOpponent = h(
    'button',
    { type: 'button', title: text.newOpponentTip, 'aria-keyshortcuts': 'o', onclick: openLobby },
    text.newOpponent,
  );
  const element = h(
    'section',
    { class: 'result', hidden: true, 'aria-label': text.reason('') },
    h('div', { class: 'spread' }, title, points),
    why,
    h('div', { class: 'row' }, again, newOpponent),
    h(
      'div',
      { class: 'row keep' },
      button(text.copyPgn, async () => copy(await api.pgn(game.id))),
      button(text.downloadPgn, () => download(game.id)),
      button(text.copyFen, () => copy(shown(game)?.fen ?? '')),
    ),
    note,
  );
  return {
    element,
    render() {
      element.hidden = !isOver(game);
      if (element.hidden) return;
      again.hidden = myColor(game) === null;
      setText(title, headline(game));
      setText(points, score(game));
      setText(why, reason(game));
    },
  };
}

/** Says how it went. Browsers forbid the clipboard to pages that came over plain HTTP from another machine. */
async function copy(value: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(value);
    return text.copied;
  } catch {
    return text.copyFailed;
  }
}

async function download(id: string): Promise<string> {
  const href = URL.createObjectURL(new Blob([await api.pgn(id)], { type: 'application/x-chess-pgn' }));
  h('a', { href, download: `sparring-${id}.pgn` }).click();
  URL.revokeObjectURL(href);
  return '';
}
