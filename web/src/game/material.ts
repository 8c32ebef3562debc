// Who is ahead in material, and by which pieces: what players look for beside the names.
import { figure, h, setText } from '../dom';
import { pieces } from '../fen';
import { opposite, type Color } from '../model';
import { text } from '../text';

const VALUES = { q: 9, r: 5, b: 3, n: 3, p: 1 };
type Letter = keyof typeof VALUES;
const LETTERS = Object.keys(VALUES) as Letter[];

const ROLES: Readonly<Record<Letter, string>> = { q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn' };

export interface Advantage {
  /** The pieces that this side has more of, the heaviest first, as letters. */
  readonly extra: readonly Letter[];
  /** Pawns' worth ahead; zero or less shows no number. */
  readonly points: number;
}

export function advantage(fen: string, color: Color): Advantage {
  const surplus: Record<Letter, number> = { q: 0, r: 0, b: 0, n: 0, p: 0 };
  for (const letter of pieces(fen).values()) {
    const role = letter.toLowerCase() as Letter;
    const isOurs = (letter === role) === (color === 'black');
    if (role in surplus) surplus[role] += isOurs ? 1 : -1;
  }
  return {
    extra: LETTERS.flatMap((letter) => Array<Letter>(Math.max(surplus[letter], 0)).fill(letter)),
    points: LETTERS.reduce((sum, letter) => sum + VALUES[letter] * surplus[letter], 0),
  };
}

/** The extra pieces in small, and `+3` for the side that is ahead. */
export function createMaterial() {
  const figures = h('span', { 'aria-hidden': 'true' });
  const points = h('span');
  const element = h('span', { class: 'material', hidden: true }, figures, points);
  let drawn = '';
  return {
    element,
    render(fen: string, color: Color) {
      const { extra, points: ahead } = advantage(fen, color);
      const key = extra.join('') + ahead + color;
      if (key === drawn) return;
      drawn = key;
      figures.replaceChildren(...extra.map((letter) => figure(ROLES[letter], opposite(color))));
      setText(points, ahead > 0 ? `+${ahead}` : '');
      element.hidden = extra.length === 0;
      element.title = ahead > 0 ? text.ahead(ahead) : '';
    },
  };
}
