// The two players' bars, with clocks that count down from the server's last state.
import { h, setText } from '../dom';
import { checksLeft } from '../fen';
import { opposite, type Color } from '../model';
import { text } from '../text';
import { createMaterial } from './material';
import { opponent } from './opponent';
import { below, isOver, myColor, player, playerName, plies, rules, shown, turn, type Game } from './state';

/** Below this the clock shows tenths. */
const TENTHS_BELOW_MS = 10_000;

/** Milliseconds left for a colour; `null` in a game without a clock. Never negative: the server says who flagged. */
export function timeLeft(game: Game, color: Color, now: number): number | null {
  const { state, full } = game;
  if (!state || !full?.clock) return null;
  const told = color === 'white' ? state.wtime : state.btime;
  return Math.max(told - (isTicking(game, color) ? now - game.stateAt : 0), 0);
}

/** lichess starts the clock when both sides have moved once. */
const isTicking = (game: Game, color: Color): boolean =>
  !isOver(game) && plies(game) >= 2 && game.full?.clock != null && turn(game) === color;

/** Low time: the last ten seconds, or the last eighth of a short clock. */
export function isLowTime(game: Game, color: Color, now: number): boolean {
  const left = timeLeft(game, color, now);
  return left !== null && left < Math.min(TENTHS_BELOW_MS, (game.full?.clock?.initial ?? 0) / 8);
}

/** `1:02:05`, `4:09`, or `0:07.3` below ten seconds. */
export function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (n: number) => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const tenths = ms < TENTHS_BELOW_MS ? `.${Math.floor((ms % 1000) / 100)}` : '';
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}${tenths}`;
}

interface Bar {
  readonly element: HTMLElement;
  /** Everything but the time. */
  render(game: Game, color: Color): void;
  /** The time alone, ten times a second. */
  tick(game: Game, color: Color): void;
}

function bar(className: string): Bar {
  const dot = h('span', { class: 'dot', 'aria-hidden': 'true' });
  const name = h('strong');
  const title = h('abbr', { class: 'title' });
  const persona = h('small', { class: 'who' });
  let whom = '';
  const note = h('small', { class: 'remark' });
  const checks = h('small', { class: 'checks' });
  const material = createMaterial();
  const clock = h('span', { class: 'clock', role: 'timer' });
  const element = h('div', { class: `bar ${className}` }, dot, title, name, persona, note, checks, material.element, clock);
  return {
    element,
    render(game, color) {
      const who = player(game, color);
      setText(title, who?.title ?? '');
      setText(name, game.full ? playerName(game, color) : '…');
      dot.className = `dot ${color}`;
      setText(note, remark(game, color));
      const fen = shown(game)?.fen ?? '';
      const left = checksLeft(fen, color);
      setText(checks, left === null ? '' : text.checksLeft(left));
      material.render(rules(game).material ? fen : '', color);
      // In a narrow bar the name may be cut, but not the level.
      const now = asWhom(game, color);
      if (now.join() !== whom) persona.replaceChildren(...now.map((part) => h('span', {}, part)));
      whom = now.join();
    },
    tick(game, color) {
      const now = performance.now();
      const left = timeLeft(game, color, now);
      setText(clock, left === null ? text.noClock : clockText(left));
      clock.classList.toggle('none', left === null);
      clock.classList.toggle('running', isTicking(game, color));
      clock.classList.toggle('low', isLowTime(game, color, now) && !isOver(game));
      clock.setAttribute('aria-label', `${text.colorName(color)}: ${clock.textContent}`);
    },
  };
}

/** The personality behind the bot's name, and the level it was asked for. */
function asWhom(game: Game, color: Color): readonly string[] {
  const mine = myColor(game);
  const who = mine === opposite(color) ? opponent(game, game.lobby) : null;
  return who ? [who.title, ...(who.level === null ? [] : [text.atLevel(who.level)])] : [];
}

/** What the bar says beside the name: whose side it is, and whose turn. */
function remark(game: Game, color: Color): string {
  const mine = color === myColor(game);
  if (!game.state || isOver(game) || turn(game) !== color) return mine ? text.you : '';
  if (mine) return text.yourMove;
  return myColor(game) ? text.thinking : text.toMove;
}

/** The bars above and below the board; they show the time of the moment in which they are drawn. */
export function createClocks(game: Game) {
  const top = bar('above');
  const bottom = bar('below');
  const tick = () => {
    top.tick(game, opposite(below(game)));
    bottom.tick(game, below(game));
  };
  return {
    top: top.element,
    bottom: bottom.element,
    tick,
    render() {
      top.render(game, opposite(below(game)));
      bottom.render(game, below(game));
      tick();
    },
  };
}
