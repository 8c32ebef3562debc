// The page of books: how often and how deep they were followed, and which moves cost points.
import { h } from '../dom';
import type { Page } from '../route';
import { lineOfBook } from '../why';
import * as api from './api';
import { loadedPage, table } from './loaded';
import { scoreBar } from './plot';
import { words } from './words';

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

export function booksPage(): Page {
  return loadedPage(words.pages['#/books'] ?? '', async () => {
    const [{ games, books }, { edit }] = await Promise.all([api.books(), api.overview()]);
    if (books.length === 0) return [h('p', { class: 'note' }, words.noBooks)];
    const byUse = [...books].sort((one, other) => other.followed - one.followed);
    return [h('p', { class: 'note' }, `${words.bookNote(games)} ${words.picture}`), ...byUse.flatMap((book) => bookPart(book, edit))];
  });
}

function bookPart(book: api.BookScores, edit: boolean): HTMLElement[] {
  const name = book.title === null ? book.name : `${book.name}: ${book.title}`;
  const facts = book.followed === 0
    ? words.notFollowed(book.lines)
    : words.bookFacts(book.lines, book.followed, percent(book.hits ?? 0), (book.depth ?? 0).toFixed(1));
  const heads = [words.move, words.after, words.number, words.score, words.expected, words.surplus, words.pictured, words.line];
  const rows = book.moves.map((move) => [
    move.move,
    move.after || words.atStart,
    String(move.games),
    percent(move.score),
    percent(move.expected),
    (move.surplus > 0 ? '+' : '') + move.surplus.toFixed(1).replace('-', '−'),
    scoreBar(move.score, null, move.expected),
    lineOfBook(move.at, edit),
  ]);
  return [
    h('h2', {}, name),
    h('p', { class: 'note' }, facts),
    ...(rows.length > 0 ? [table(book.path, heads, rows)] : []),
    ...(book.more > 0 ? [h('p', { class: 'note' }, words.moreMoves(book.more))] : []),
  ];
}
