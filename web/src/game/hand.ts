// Drops: a piece of our pocket on its way to the board, by click and square or by drag, and the squares marked for it.
import type { Api } from '@lichess-org/chessground/api';
import type { Key, MouchEvent, Role } from '@lichess-org/chessground/types';
import { KINDS, type Kind } from '../fen';
import { text } from '../text';
import { isMyTurn, isPlaying, myColor, rules, shown, type Game } from './state';

export interface Hand {
  /** The kind that the next click on the board drops. */
  readonly held: () => Kind | null;
  /** Takes a piece, or puts back the one that is held. */
  hold(kind: Kind | null): void;
  /** Takes a piece that follows the pointer from here on. */
  drag(kind: Kind, event: PointerEvent): void;
  /** The board has put a piece down. */
  dropped(role: Role, dest: Key): void;
  /** Plays the drop that was prepared while the opponent thought. */
  playPredrop(): boolean;
  /** Called when somebody else has to draw the pockets anew. */
  onChange(then: () => void): void;
  /** The position has changed. */
  render(): void;
}

interface Ends {
  play(uci: string): void;
  /** The piece goes back; says why. */
  refuse(line: string): void;
}

/** The squares that the server's list of legal moves has for a piece in hand. */
export const dropSquares = (game: Game, kind: Kind): Key[] => {
  const legal = isMyTurn(game) ? (game.view?.legal ?? []) : [];
  return legal.filter(({ uci }) => uci.toLowerCase().startsWith(`${kind}@`)).map(({ uci }) => uci.slice(2, 4) as Key);
};

export function createHand(ground: HTMLElement, cg: Api, game: Game, { play, refuse }: Ends): Hand {
  let held: Kind | null = null;
  let changed = () => {};

  const mark = (kind: Kind | null) => {
    const marks = new Map<Key, string>(rules(game).goals.map((square) => [square as Key, 'goal']));
    for (const square of kind ? dropSquares(game, kind) : []) marks.set(square, 'move-dest');
    cg.set({ highlight: { custom: marks } });
  };

  const hold = (kind: Kind | null) => {
    const color = myColor(game);
    held = kind && color && isPlaying(game) && shown(game)?.live ? kind : null;
    if (held && color) {
      cg.selectSquare(null);
      cg.state.dropmode = { active: true, piece: { role: KINDS[held], color } };
    } else cg.state.dropmode = { active: false };
    mark(held);
    changed();
  };

  // Before the board looks: a click that is no drop puts the piece back, and is a click as any other.
  const isDrop = (square: Key | undefined): boolean =>
    held !== null && square !== undefined && (isMyTurn(game) ? dropSquares(game, held).includes(square) : !cg.state.pieces.has(square));
  ground.addEventListener('pointerdown', ({ clientX, clientY }) => {
    const square = cg.getKeyAtDomPos([clientX, clientY]);
    if (held && !isDrop(square)) {
      if (isMyTurn(game) && square && !cg.state.pieces.has(square)) refuse(text.cannotDrop(KINDS[held], square));
      hold(null);
    }
  }, { capture: true });
  // A drop that is prepared for later: the board has it now.
  ground.addEventListener('pointerup', () => held && hold(null));

  return {
    held: () => held,
    hold,
    onChange: (then) => void (changed = then),
    drag(kind, event) {
      const color = myColor(game);
      if (!color || !isPlaying(game) || !shown(game)?.live) return;
      hold(null);
      mark(kind);
      cg.dragNewPiece({ role: KINDS[kind], color }, event as unknown as MouchEvent);
      addEventListener('pointerup', () => mark(held), { once: true });
    },
    dropped(role, dest) {
      const kind = (Object.keys(KINDS) as Kind[]).find((letter) => KINDS[letter] === role);
      if (held) hold(null);
      if (kind && dropSquares(game, kind).includes(dest)) play(`${kind.toUpperCase()}@${dest}`);
      else refuse(text.cannotDrop(role, dest));
    },
    playPredrop: () => cg.playPredrop(({ role, key }) => {
      const kind = (Object.keys(KINDS) as Kind[]).find((letter) => KINDS[letter] === role);
      return kind !== undefined && dropSquares(game, kind).includes(key);
    }),
    render() {
      cg.state.dom.bounds.clear(); // Pockets that appear move the board.
      if (held) hold(held);
      else mark(null);
    },
  };
}
