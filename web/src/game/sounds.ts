// The sounds of game events.
import { play, type Sound } from '../sound';
import { isLowTime } from './clock';
import { isCurrent, isOver, myColor, type Game } from './state';

export function createSounds(game: Game) {
  /** The last state with a sound; null until the first position. */
  let heard: { readonly plies: number; readonly over: boolean } | null = null;
  let warned = false;

  return {
    render() {
      const { view } = game;
      if (!view || !isCurrent(game)) return;
      const now = { plies: view.moves.length, over: isOver(game) };
      if (heard && now.over && !heard.over) play(ofEnd(game));
      else if (heard && now.plies > heard.plies) play(ofMove(view.moves.at(-1)?.san ?? ''));
      heard = now;
      this.tick();
    },
    /** Time runs without any event: once below the limit, one warning; a takeback or a gift arms it again. */
    tick() {
      const color = myColor(game);
      const low = color !== null && !isOver(game) && isLowTime(game, color, performance.now());
      if (low && !warned) play('low');
      warned = low;
    },
  };
}

export function ofMove(san: string): Sound {
  if (/[+#]$/.test(san)) return 'check';
  return san.includes('x') ? 'capture' : 'move';
}

function ofEnd(game: Game): Sound {
  const winner = game.state?.winner;
  if (!winner) return 'drawn';
  return winner === (myColor(game) ?? winner) ? 'won' : 'lost';
}
