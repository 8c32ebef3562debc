// What a FEN tells beside the moves: pieces, pockets, checks left. It knows no rules.
import type { Color } from './model';

const FILES = 'abcdefgh';

/** What stands on a board, by square: `{ e1: 'K' }`, letters as FEN writes them. */
export function pieces(fen: string): Map<string, string> {
  const found = new Map<string, string>();
  const rows = (/^[^ []*/.exec(fen.replaceAll('~', ''))?.[0] ?? '').split('/');
  rows.forEach((row, i) => {
    let file = 0;
    for (const letter of row) {
      if (/\d/.test(letter)) file += Number(letter);
      else found.set(`${FILES[file++]}${8 - i}`, letter);
    }
  });
  return found;
}

/** Kinds of pieces that can be in a pocket, by their letters. */
export const KINDS = { p: 'pawn', n: 'knight', b: 'bishop', r: 'rook', q: 'queen' } as const;
export type Kind = keyof typeof KINDS;

/** How many pieces of each kind a side has in hand. */
export function pocket(fen: string, color: Color): ReadonlyMap<Kind, number> {
  const counts = new Map<Kind, number>();
  for (const letter of /\[(\w*)\]/.exec(fen)?.[1] ?? '') {
    const kind = letter.toLowerCase() as Kind;
    if ((letter === kind) === (color === 'black')) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** The checks that a side still has to give, as in `3+2`; `null` where nobody counts. */
export function checksLeft(fen: string, color: Color): number | null {
  const [, white, black] = / (\d)\+(\d)(?: |$)/.exec(fen) ?? [];
  const left = color === 'white' ? white : black;
  return left === undefined ? null : Number(left);
}

/** The squares that a capture of atomic chess blew up: where it took, and where other pieces went with it. */
export function blownUp(before: string, after: string, capture: string): string[] {
  const [from, to = ''] = squaresOf(capture);
  const left = pieces(after);
  return [to, ...[...pieces(before).keys()].filter((square) => square !== from && square !== to && !left.has(square))];
}

/** The squares of a move in UCI: from and to, or the one that a piece was dropped on. */
export const squaresOf = (uci: string): string[] =>
  uci[1] === '@' ? [uci.slice(2, 4)] : [uci.slice(0, 2), uci.slice(2, 4)];
