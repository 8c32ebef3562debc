// The page of performance: scores by speed and personality, and rating curves.
import { h } from '../dom';
import type { Page } from '../route';
import * as api from './api';
import { loadedPage, table } from './loaded';
import { lineChart, scoreBar } from './plot';
import { words } from './words';

const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;

export function figuresPage(): Page {
  return loadedPage(words.pages['#/figures'] ?? '', async () => {
    const { bySpeed, byPersonality, ratings } = await api.figures();
    if (bySpeed.length === 0) return [h('p', { class: 'note' }, words.noGames)];
    const charts = Object.entries(ratings).filter(([, marks]) => marks.length > 0);
    return [
      h('p', { class: 'note' }, `${words.figureNote} ${words.picture}`),
      h('h2', {}, words.bySpeed),
      groups(words.bySpeed, bySpeed),
      h('h2', {}, words.byPersonality),
      groups(words.byPersonality, byPersonality),
      h('h2', {}, words.ratings),
      charts.length === 0 && h('p', { class: 'note' }, words.noRatings),
      ...charts.map(([speed, marks]) => {
        const values = marks.map(({ rating }) => rating);
        const label = words.ratingOf(speed, values[0] ?? 0, values.at(-1) ?? 0);
        return h('figure', {}, lineChart(marks.map(({ at, rating }) => [at, rating] as const), label), h('figcaption', {}, label));
      }),
    ];
  });
}

function groups(label: string, all: readonly api.Group[]): HTMLElement {
  const heads = ['', words.number, words.won, words.drawn, words.lost_, words.score, words.expected, words.pictured];
  const rows = all.map((group) => [
    group.name,
    String(group.games),
    String(group.won),
    String(group.drawn),
    String(group.lost),
    group.error === null ? percent(group.score) : `${percent(group.score)} ± ${(group.error * 100).toFixed(1)}`,
    group.expected === null ? words.unknown : percent(group.expected),
    scoreBar(group.score, group.error, group.expected),
  ]);
  return table(label, heads, rows);
}
