// What a screen reader says as the game goes on: each move once, and the end.
import { h, setText } from '../dom';
import { opposite } from '../model';
import { text } from '../text';
import { timeLeft } from './clock';
import { headline, reason } from './result';
import { spokenMove, spokenTime } from './speech';
import { isCurrent, isOver, myColor, playerName, type Game } from './state';

export function createAnnouncer(game: Game) {
  const element = h('p', { class: 'only-spoken', 'aria-live': 'polite' });
  /** Plies and end already told; null until the first position, which is where we came in. */
  let told: { readonly plies: number; readonly over: boolean } | null = null;

  const say = (line: string) => setText(element, line);
  return {
    element,
    say,
    render() {
      const { view } = game;
      if (!view || !isCurrent(game)) return; // A state without its position: told together in a moment.
      const now = { plies: view.moves.length, over: isOver(game) };
      const news = [];
      if (told && now.plies > told.plies) news.push(lastMove(game));
      if (told && now.over && !told.over) news.push(`${headline(game)}. ${reason(game)}.`);
      if (news.length > 0) say(news.join(' '));
      told = now;
    },
  };
}

function lastMove(game: Game): string {
  const { view } = game;
  const move = view?.moves.at(-1);
  if (!view || !move) return '';
  const mover = opposite(view.turn);
  // The mark of a mate ends any game; what a variant calls its end is told with the result.
  const san = view.status === 'variantEnd' ? move.san.replace('#', '') : move.san;
  const parts = [`${playerName(game, mover)}: ${spokenMove(san)}.`];
  if (view.turn === myColor(game) && !isOver(game)) {
    const left = timeLeft(game, view.turn, performance.now());
    parts.push(left === null ? `${text.yourTurn}.` : `${text.yourTurn}, ${spokenTime(left)}.`);
  }
  return parts.join(' ');
}
