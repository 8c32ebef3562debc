// The board: shows the server's position, and knows no rules but the server's list of legal moves.
import { Chessground } from '@lichess-org/chessground';
import type { Config } from '@lichess-org/chessground/config';
import type { Dests, Key } from '@lichess-org/chessground/types';
import { h } from '../dom';
import { blownUp, squaresOf } from '../fen';
import { isOn } from '../preferences';
import { opposite, type Color } from '../model';
import { text } from '../text';
import { createHand, type Hand } from './hand';
import { askPromotion, promotions } from './promotion';
import { explainRefusals } from './refusals';
import { isMyTurn, isPlaying, myColor, orientation, rules, shown, type Game, type Shown } from './state';

export interface Board {
  readonly element: HTMLElement;
  /** The piece of a pocket that is about to be dropped. */
  readonly hand: Hand;
  render(): void;
  close(): void;
}

/** `play` gets the move of the player in UCI, promotion letter included; `say` goes to screen readers. */
export function createBoard(game: Game, play: (uci: string) => void, say: (line: string) => void): Board {
  const ground = h('div', { class: 'ground', role: 'img' });
  const element = h('div', { class: 'board' }, ground);
  let drawn = '';
  let lastLivePly = 0;
  let last: Shown | null = null;
  let cancelPromotion: (() => void) | null = null;
  const drawAnew = () => {
    drawn = '';
    render();
  };

  const finish = (orig: Key, dest: Key, premove: boolean) => {
    const move = orig + dest;
    const roles = promotions(game.view?.legal ?? [], move);
    if (roles.length === 0) return play(move);
    const color = myColor(game);
    // Where a king can be had, a queen is no better guess than others.
    if (premove || !color || (isOn('autoQueen') && !roles.includes('k'))) return play(`${move}q`);
    cancelPromotion = askPromotion(element, dest, color, orientation(game), roles, (role) => {
      cancelPromotion = null;
      if (role) return play(move + role);
      drawAnew();
    });
  };

  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const cg = Chessground(ground, {
    fen: EMPTY_FEN, // Not the start position: the game may be anywhere, and a flash of the wrong one looks broken.
    animation: { enabled: !isStill, duration: 160 },
    movable: {
      free: false,
      showDests: true,
      events: {
        after: (orig, dest, { premove }) => finish(orig, dest, premove),
        afterNewPiece: (role, dest) => hand.dropped(role, dest),
      },
    },
    draggable: { showGhost: true },
    drawable: { enabled: true },
  });

  const hand = createHand(ground, cg, game, {
    play,
    refuse(line) {
      say(line);
      drawAnew();
    },
  });
  explainRefusals(ground, cg, game, say);
  // Taking a piece ends typing: keys are shortcuts again, and a phone hides its keyboard.
  ground.addEventListener('pointerdown', () => document.activeElement instanceof HTMLInputElement && document.activeElement.blur());

  const render = () => {
    const now = shown(game);
    if (!now || !game.view) return;
    if (now.live && game.sent?.ply === now.ply) {
      // While our move travels, the board is ahead of the server and stays as the player left it.
      drawn = '';
      return;
    }
    const key = JSON.stringify([game.full?.variant.key, now.ply, now.fen, now.live, orientation(game), isPlaying(game), isMyTurn(game)]);
    if (key === drawn) return;
    drawn = key;
    cancelPromotion?.();
    cg.set(position(game, now));
    hand.render();
    if (!isStill && rules(game).explosions && last && now.ply === last.ply + 1 && now.move?.san.includes('x')) {
      cg.explode(blownUp(last.fen, now.fen, now.move.uci) as Key[]);
    }
    last = now;
    ground.setAttribute('aria-label', describe(now));
    // A takeback cancels a premove, which was meant for another position.
    if (now.live && now.ply < lastLivePly) cg.cancelMove();
    if (now.live) lastLivePly = now.ply;
    if (now.live && isMyTurn(game)) cg.playPremove() || hand.playPredrop();
    else if (!now.live || !isPlaying(game)) cg.cancelMove();
  };

  return {
    element,
    hand,
    render,
    close() {
      cancelPromotion?.();
      cg.destroy();
    },
  };
}

function position(game: Game, now: Shown): Config {
  const color = myColor(game);
  const active = now.live && isPlaying(game) && color !== null;
  const side = now.fen.split(' ')[1] === 'b' ? 'black' : 'white';
  return {
    fen: now.fen,
    orientation: orientation(game),
    turnColor: side,
    check: isCheck(game, now) ? side : false,
    lastMove: now.move ? squares(now.move) : [],
    movable: {
      color: active ? color : NOBODY,
      dests: active && isMyTurn(game) ? legalDests(game) : new Map(),
    },
    premovable: { enabled: active },
    predroppable: { enabled: active && rules(game).pockets },
  };
}

/** `#` ends a game in any way that a variant has; only the server knows whether that was a check. */
const isCheck = ({ view }: Game, { live, move }: Shown): boolean =>
  live && view && move?.san.endsWith('#') ? view.check || view.status === 'mate' : /\+$/.test(move?.san ?? '') || (live && !!view?.check);

const EMPTY_FEN = '8/8/8/8/8/8/8/8';

/** chessground's "no colour may move"; its types have no word for it. */
const NOBODY = undefined as unknown as Color;

const legalDests = ({ view }: Game): Dests =>
  new Map(Object.entries(view?.dests ?? {}).map(([orig, dests]) => [orig as Key, [...dests] as Key[]]));

/** The squares to mark. Castling may be written as king takes rook; the eye looks for the king's own squares. */
function squares({ uci, san }: { uci: string; san: string }): Key[] {
  const orig = uci.slice(0, 2);
  const rank = uci.slice(1, 2);
  if (san.startsWith('O-O-O')) return [orig, `c${rank}`] as Key[];
  if (san.startsWith('O-O')) return [orig, `g${rank}`] as Key[];
  return squaresOf(uci) as Key[];
}

function describe({ fen, move }: Shown): string {
  const side: Color = fen.split(' ')[1] === 'b' ? 'black' : 'white';
  return move ? `${text.board}: ${text.colorName(opposite(side))} ${move.san}` : `${text.board}: ${text.start}`;
}
