// Says why a piece went back: the board snaps an illegal move back silently, which screen reader users do not see.
import type { Api } from '@lichess-org/chessground/api';
import type { Key } from '@lichess-org/chessground/types';
import { text } from '../text';
import { isMyTurn, myColor, rules, type Game } from './state';

/** A piece in hand: from a press on it (a drag), or from an earlier click. */
interface Held {
  readonly from: Key;
  readonly role: string;
}

export function explainRefusals(ground: HTMLElement, cg: Api, game: Game, say: (line: string) => void): void {
  let held: Held | null = null;
  const squareAt = ({ clientX, clientY }: PointerEvent) => cg.getKeyAtDomPos([clientX, clientY]);

  const ours = (square: Key | undefined): Held | null => {
    const piece = square && cg.state.pieces.get(square);
    return square && piece && piece.color === myColor(game) ? { from: square, role: piece.role } : null;
  };

  // Pointer events come before the mouse and touch events by which the board moves: it is still as the player saw it.
  ground.addEventListener('pointerdown', (event) => {
    held = isMyTurn(game) ? (ours(squareAt(event)) ?? ours(cg.state.selected)) : null;
  });
  ground.addEventListener('pointerup', (event) => {
    const to = squareAt(event);
    const piece = held;
    held = null;
    if (!piece || !to || to === piece.from || game.view?.dests[piece.from]?.includes(to)) return;
    say(text.cannotGo(piece.role, piece.from, to) + because(game));
  });
}

/** The usual reason, where there is one. */
function because(game: Game): string {
  if (game.view?.check) return ` ${text.inCheck}`;
  const isDue = rules(game).mustTake && game.view?.legal.some(({ san }) => san.includes('x'));
  return isDue ? ` ${text.mustTake}` : '';
}
