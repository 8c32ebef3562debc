// The network side of a game: stream lines change the state, actions of the player are sent, and nothing is sent twice.
import * as api from '../api';
import { ApiError } from '../api';
import { opposite } from '../model';
import { followShared, type Arrival } from '../tabs';
import { text } from '../text';
import { apply, asEvent, dropDrawOffer, isOver, myColor, plies, type Game } from './state';

const VIEW_RETRY_MS = 700;
const FIRST_MOVE_RETRY_MS = 500;
const LONGEST_MOVE_RETRY_MS = 4_000;
/** The effect of an offer shows in the stream within this time; the server ignores an offer that may not be made yet. */
const EFFECT_MS = 1_500;
/** Delays of fetching the chat after the end: the stream is closed, but the bot may still write. */
const LATE_CHAT_MS = [1_000, 3_000, 8_000];

export interface Session {
  play(uci: string): void;
  command(name: api.Command): void;
  moreTime(): void;
  /** Whether the server took the line. */
  say(line: string): Promise<boolean>;
  close(): void;
}

export interface Listener {
  changed(): void;
  /** Something the player tried did not work. */
  problem(sentence: string): void;
  refused(error: ApiError): void;
}

export function openSession(game: Game, listener: Listener): Session {
  const { id } = game;
  const closed = new AbortController();
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  /** Fetch now, and once more when asked while fetching: the last answer is never older than the last question. */
  const freshest = (fetch: () => Promise<void>) => {
    let running = false;
    let wanted = false;
    return async () => {
      wanted = true;
      if (running) return;
      running = true;
      while (wanted && !closed.signal.aborted) {
        wanted = false;
        await fetch();
      }
      running = false;
    };
  };

  const refreshView = freshest(async () => {
    try {
      game.view = await api.view(id);
      settleSent();
      listener.changed();
    } catch (error) {
      if (error instanceof ApiError && [403, 404].includes(error.status)) {
        if (!closed.signal.aborted) listener.refused(error);
        return;
      }
      await pause(VIEW_RETRY_MS);
      void refreshView();
    }
  });

  // Only for the opponent's title; a game without it is still a game.
  api.lobby().then((lobby) => {
    game.lobby = lobby;
    listener.changed();
  }, () => undefined);

  let chatRunning = false;
  const refreshChat = freshest(async () => {
    chatRunning = true;
    const lines = await api.chat(id).catch(() => null); // A game without its chat is still a game.
    chatRunning = false;
    if (!lines) return;
    game.chat = lines;
    listener.changed();
  });

  const learnWhy = async () => {
    game.why = await api.decisions(id).catch(() => null); // A server that kept nothing has nothing to tell.
    listener.changed();
  };

  const settleSent = () => {
    const { sent, view } = game;
    if (sent && (isOver(game) || view?.moves.length !== sent.ply)) game.sent = null;
  };

  const line = ({ value, at }: Arrival): boolean => {
    const event = asEvent(value);
    if (!event) return false;
    const wasOver = isOver(game);
    apply(game, event, performance.now() - (Date.now() - at));
    if (event.type === 'gameFull' || event.type === 'gameState') void refreshView();
    if (event.type === 'gameFull' || (event.type === 'chatLine' && chatRunning)) void refreshChat();
    if (isOver(game) && !wasOver) {
      for (const ms of LATE_CHAT_MS) setTimeout(() => void refreshChat(), ms);
      void learnWhy();
    }
    listener.changed();
    return isOver(game);
  };

  const leave = followShared(`/api/board/game/stream/${id}`, {
    line,
    connection(open) {
      game.open = open;
      listener.changed();
    },
    refused: (error) => listener.refused(error),
    snapshot: () =>
      game.full && game.state
        ? { value: { ...game.full, state: game.state }, at: Date.now() - (performance.now() - game.stateAt) }
        : null,
  });

  /** Send a move until the server has it: the stream tells, not the answer, for an answer can get lost. */
  const deliver = async (sent: NonNullable<Game['sent']>) => {
    let wait = FIRST_MOVE_RETRY_MS;
    for (let tries = 1; ; tries += 1) {
      if (closed.signal.aborted || game.sent !== sent) return;
      try {
        await api.move(id, sent.uci);
        return;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.status !== 0 && error.status !== 429 && error.status < 500) {
          if (game.sent === sent) game.sent = null;
          // A repeated move is refused when the first one arrived after all; then the position has it.
          if (tries === 1) listener.problem(text.moveRefused(error.message));
          else void refreshView();
          return listener.changed();
        }
      }
      await pause(wait);
      wait = Math.min(wait * 2, LONGEST_MOVE_RETRY_MS);
    }
  };

  /** Whether it worked; the player is told when it did not. */
  const attempt = (request: Promise<unknown>): Promise<boolean> =>
    request.then(() => true, (error: Error) => {
      listener.problem(text.commandFailed(error.message));
      return false;
    });

  const forgetDeclinedDraw = () => {
    const color = myColor(game);
    if (color) dropDrawOffer(game, opposite(color));
    listener.changed();
  };

  const tellIfIgnored = async (before: Game['state']) => {
    await pause(EFFECT_MS);
    if (game.state === before && game.open && !closed.signal.aborted) listener.problem(text.notTaken);
  };

  const command = async (name: api.Command) => {
    const before = game.state;
    if (!(await attempt(api.command(id, name)))) return;
    if (name === 'draw/no') forgetDeclinedDraw();
    if (name === 'draw/yes' || name === 'takeback/yes') await tellIfIgnored(before);
  };

  return {
    play(uci) {
      game.sent = { ply: plies(game), uci };
      listener.changed();
      void deliver(game.sent);
    },
    command: (name) => void command(name),
    moreTime: () => void attempt(api.moreTime(id)),
    say: (said) =>
      attempt(
        api.say(id, said).then(() => {
          if (isOver(game)) void refreshChat(); // No stream is left to bring the line back.
        }),
      ),
    close() {
      closed.abort();
      leave();
    },
  };
}
