// The page of levels: measured performance and parameters.
import { h } from '../dom';
import type { Page } from '../route';
import * as api from './api';
import { loadedPage, table } from './loaded';
import { ladderChart } from './plot';
import { words } from './words';

export function levelsPage(): Page {
  return loadedPage(words.pages['#/levels'] ?? '', async () => {
    const { note, levels, played } = await api.levels();
    return [h('p', { class: 'note' }, words.levelNote(note)), ...playedPart(played), ...madePart(levels)];
  });
}

function playedPart(played: readonly api.PlayedLevel[]): HTMLElement[] {
  const heads = [words.level_, words.number, words.score, words.opponents, words.performance];
  const rows = played.map(({ level, games, score, opponents, performance, low, high }) => [
    String(level), String(games), `${(score * 100).toFixed(1)} %`, String(opponents),
    low === null || high === null ? String(performance) : `${performance} (${low} to ${high})`,
  ]);
  return [
    h('h2', {}, words.played),
    h('p', { class: 'note' }, played.length === 0 ? words.noLevels : words.playedNote),
    ...(played.length === 0 ? [] : [h('figure', {}, ladderChart(played, words.ladder(played.length))), table(words.played, heads, rows)]),
  ];
}

function madePart(levels: readonly api.Level[]): HTMLElement[] {
  const heads = [words.level_, words.place, words.people, words.sharpness, words.vigilance, words.margin, words.nodes, words.bookPlies];
  const rows = levels.map(({ level, place, people, sharpness, vigilance, margin, nodes, bookPlies }) => [
    String(level), `${(place * 100).toFixed(0)} %`,
    people === null ? words.none_ : String(people),
    sharpness === null ? words.none_ : sharpness.toFixed(2),
    people === null ? '100 %' : `${((vigilance ?? 0) * 100).toFixed(0)} %`,
    people === null ? '0' : margin === null ? words.unlimited : margin.toFixed(1),
    nodes === null ? (people === null ? words.unlimited : words.none_) : nodes.toLocaleString('en'),
    bookPlies === null ? words.unlimited : String(bookPlies),
  ]);
  return [h('h2', {}, words.levelTable), h('p', { class: 'note' }, words.levelTableNote), table(words.levelTable, heads, rows)];
}
