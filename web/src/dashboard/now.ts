// The page Now: health, controls, and a board for each running game.
import { h, setText } from '../dom';
import type { Page } from '../route';
import * as api from './api';
import { createControls } from './controls';
import { createLiveBoard, type LiveBoard } from './liveboard';
import { moment, table } from './loaded';
import { words } from './words';

const LOOK_EVERY_MS = 5_000;
const TICK_MS = 1_000;
/** Longest log text on the page. */
const WARNINGS = 20;

export function nowPage(): Page {
  const left = new AbortController();
  const lost = h('p', { class: 'banner', role: 'status', hidden: true });
  /** Two connections that may break independently: the poll of the overview, and the stream of boards. */
  const line = { answers: true, boards: true };
  const health = h('p', { class: 'health', role: 'status' }, words.loading);
  const facts = h('dl', { class: 'facts' });
  const gates = h('ul', { class: 'gates' });
  const none = h('p', { class: 'note', hidden: true }, words.none);
  const grid = h('div', { class: 'boards' });
  const boards = new Map<string, LiveBoard>();
  const controls = createControls(() => void look());

  const warned = h('section', { 'aria-labelledby': 'warned', hidden: true });
  let told = '';
  const reread = h('section', { 'aria-labelledby': 'reread', hidden: true });
  let read = '';

  const look = async () => {
    const [now, warnings, reloads] = await Promise.all([
      api.overview().catch(() => null), api.warnings().catch(() => null), api.reloads().catch(() => null),
    ]);
    if (left.signal.aborted) return;
    line.answers = now !== null;
    showLine();
    // Redrawn only on changes, to keep the keyboard focus in a row. Without an answer the old rows stay.
    if (warnings && told !== (told = JSON.stringify(warnings))) warned.replaceChildren(...warningPart(warnings));
    if (warnings) warned.hidden = warnings.length === 0;
    if (reloads && read !== (read = JSON.stringify(reloads))) reread.replaceChildren(...reloadPart(reloads));
    if (reloads) reread.hidden = reloads.length === 0;
    if (!now) return;
    seen = Date.now();
    setText(health, healthLine(now));
    health.classList.toggle('bad', !now.ok);
    facts.replaceChildren(...factsOf(now).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
    gates.replaceChildren(...now.gates.map(({ key, until }) => h('li', {}, `${words.gates}: ${key}, ${words.until(moment(until))}`)));
    controls.render(now);
  };

  let seen = Date.now();
  const showLine = () => {
    lost.hidden = line.answers && line.boards;
    setText(lost, line.answers ? words.lostBoards : words.lost);
    if (!line.answers) setText(health, words.unheard(moment(seen)));
    if (!line.answers) health.classList.remove('bad');
    health.classList.toggle('stale', !line.answers);
    facts.classList.toggle('stale', !line.answers);
    grid.classList.toggle('stale', !line.boards);
  };

  const drop = (id: string) => {
    boards.get(id)?.close();
    boards.delete(id);
  };
  const hear = (news: api.LiveLine) => {
    if (news.type === 'all') for (const id of [...boards.keys()]) drop(id);
    else if (news.type === 'gone') drop(news.id);
    else {
      const known = boards.get(news.id);
      if (known) known.show(news);
      else boards.set(news.id, createLiveBoard(grid, news));
    }
    none.hidden = boards.size > 0;
  };

  void look();
  const looking = setInterval(() => void look(), LOOK_EVERY_MS);
  const ticking = setInterval(() => line.boards && boards.forEach((board) => board.tick()), TICK_MS);
  api.followLive(left.signal, hear, (open) => {
    if (open !== line.boards) void look(); // Whether that is the stream alone is known at once.
    line.boards = open;
    showLine();
  });
  return {
    element: h('main', {}, h('h1', { class: 'only-spoken' }, words.title), lost,
      h('section', { class: 'panel' }, h('div', { class: 'spread' }, health, controls.element), facts, gates),
      h('section', { 'aria-labelledby': 'running' }, h('h2', { id: 'running' }, words.running), none, grid), reread, warned),
    close() {
      left.abort();
      clearInterval(looking);
      clearInterval(ticking);
      for (const id of [...boards.keys()]) drop(id);
    },
  };
}

function healthLine(now: api.Overview): string {
  if (now.draining) return words.ending;
  if (!now.ok) return words.unwell(now.why ?? '');
  return now.note ?? (now.paused ? words.paused : words.well);
}

function warningPart(warnings: readonly api.Warning[]): HTMLElement[] {
  const rows = warnings.slice(0, WARNINGS).map(({ at, severity, text, game, count }) => [
    moment(at),
    h('span', { class: `severity ${severity}` }, words.severities[severity] ?? severity),
    count > 1 ? words.times(count) : '',
    game === null ? '' : h('a', { href: `#/game/${encodeURIComponent(game)}` }, game),
    h('span', { class: 'said' }, text),
  ]);
  const heads = [words.when, words.severity, words.often, words.ofGame, words.said];
  return [h('h2', { id: 'warned' }, words.warnings), table(words.warnings, heads, rows)];
}

function reloadPart(reloads: readonly api.Reload[]): HTMLElement[] {
  const rows = reloads.map(({ at, good, text }) => [
    moment(at),
    h('span', { class: `severity ${good ? 'fine' : 'warning'}` }, good ? words.inUse : words.notInUse),
    h('span', { class: 'said' }, text),
  ]);
  return [h('h2', { id: 'reread' }, words.reloads), table(words.reloads, [words.when, words.outcome, words.said], rows)];
}

function factsOf(now: api.Overview): [string, string][] {
  const { facts } = words;
  const hours = now.upMillis / 3_600_000;
  return [
    [facts.account, now.user ?? words.unknown],
    [facts.games, facts.slots(now.games, now.slots)],
    [facts.waiting, String(now.waiting)],
    [facts.asleep, String(now.asleep)],
    [facts.challenges, String(now.challenges)],
    [facts.up, hours < 1 ? `${Math.floor(hours * 60)} min` : hours < 48 ? `${Math.floor(hours)} h` : `${Math.floor(hours / 24)} d`],
    [facts.memory, now.memoryBytes === null ? words.unknown : `${Math.round(now.memoryBytes / 1_048_576)} MiB`],
    [facts.version, now.version],
    ...(now.lostRows > 0 ? [[facts.lost, String(now.lostRows)] as [string, string]] : []),
  ];
}
