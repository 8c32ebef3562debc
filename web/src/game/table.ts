// The board in words: a table for screen readers, row by row as the player sees it.
import { h, setText } from '../dom';
import { pieces } from '../fen';
import { opposite, type Color } from '../model';
import { text } from '../text';
import { orientation, shown, type Game } from './state';

const FILES = 'abcdefgh';

/** `white knight` */
export function pieceName(letter: string): string {
  const color: Color = letter === letter.toUpperCase() ? 'white' : 'black';
  return `${text.colorName(color).toLowerCase()} ${text.pieces[letter.toLowerCase()] ?? letter}`;
}

export function createTable(game: Game) {
  const caption = h('caption');
  const head = h('tr');
  const body = h('tbody');
  const element = h('div', { class: 'only-spoken' }, h('table', {}, caption, h('thead', {}, head), body));
  let drawn = '';

  const rebuild = (side: Color) => {
    const files = side === 'white' ? [...FILES] : [...FILES].reverse();
    const ranks = side === 'white' ? [8, 7, 6, 5, 4, 3, 2, 1] : [1, 2, 3, 4, 5, 6, 7, 8];
    head.replaceChildren(h('td'), ...files.map((file) => h('th', { scope: 'col' }, file)));
    body.replaceChildren(
      ...ranks.map((rank) =>
        h('tr', {}, h('th', { scope: 'row' }, String(rank)), ...files.map((file) => h('td', { 'data-square': file + rank }))),
      ),
    );
  };

  return {
    element,
    render() {
      const now = shown(game);
      const side = orientation(game);
      const key = `${side} ${now?.fen}`;
      if (!now || key === drawn) return;
      if (!drawn.startsWith(side)) rebuild(side);
      drawn = key;
      const standing = pieces(now.fen);
      for (const cell of body.querySelectorAll('td')) {
        const piece = standing.get(cell.dataset['square'] ?? '');
        setText(cell, piece ? pieceName(piece) : text.emptySquare);
      }
      const mover: Color = now.fen.split(' ')[1] === 'b' ? 'black' : 'white';
      const last = now.move ? `${text.colorName(opposite(mover))} ${now.move.san}` : text.start;
      setText(caption, `${text.boardInWords}: ${last}`);
    },
  };
}
