// From Play to the first line of a game: challenges the bot, waits, and asks for personality and level in the chat.
import * as api from '../api';
import type { AccountEvent, Lobby, Setup } from '../model';
import { isRecord } from '../storage';
import { follow } from '../stream';
import { text } from '../text';
import { wishes } from './setup';

const PATIENCE_MS = 20_000;

/** Why there is no game, as a text for the player. */
export class NoGame extends Error {}

/**
 * Challenge the bot and resolve to the id of the game. Rejects with `NoGame` when it declines, with `ApiError` when the
 * server refuses, and otherwise when the server is gone, the bot is silent for too long or the player gives up waiting.
 */
export async function startGame(lobby: Lobby, setup: Setup, given: AbortSignal): Promise<string> {
  const bot = lobby.bot?.username;
  if (bot === undefined) throw new NoGame(text.noBot);
  const events = new Answers();
  const close = follow('/api/stream/event', events);
  try {
    // The stream must be open before the challenge is sent, or a quick answer would be missed.
    await within(events.opened, given, () => text.reconnecting);
    const { id } = await api.challenge(bot, setup);
    try {
      await within(events.answerTo(id), given, () => (events.isOpen ? text.noAnswer(bot) : text.reconnecting));
    } catch (error) {
      if (!(error instanceof NoGame)) void api.cancelChallenge(id).catch(() => undefined); // It may be gone already.
      throw error;
    }
    // If a chat command gets lost, the bot plays its default: the game is worth more than the request.
    for (const line of wishes(setup)) await api.say(id, line).catch(() => undefined);
    return id;
  } finally {
    close();
  }
}

/** The event stream, read for the outcome of one challenge. */
class Answers {
  readonly opened: Promise<void>;
  private resolveOpened: () => void = () => undefined;
  private rejectOpened: (error: Error) => void = () => undefined;
  /** Outcomes by challenge id: `null` is accepted, a text is the decline reason. */
  private readonly fates = new Map<string, string | null>();
  private waiting: (() => void) | null = null;

  constructor() {
    this.opened = new Promise((resolve, reject) => {
      this.resolveOpened = resolve;
      this.rejectOpened = reject;
    });
  }

  isOpen = false;

  connection(open: boolean): void {
    this.isOpen = open;
    if (open) this.resolveOpened();
    else this.rejectOpened(new Error(text.reconnecting));
  }

  refused(error: Error): void {
    this.rejectOpened(error);
  }

  line(value: unknown): boolean {
    if (!isRecord(value)) return false;
    const event = value as unknown as AccountEvent;
    if (event.type === 'gameStart') this.fates.set(event.game.gameId ?? event.game.id ?? '', null);
    if (event.type === 'challengeDeclined' || event.type === 'challengeCanceled') {
      this.fates.set(event.challenge.id, event.challenge.declineReason ?? '');
    }
    this.waiting?.();
    return false;
  }

  /** Resolves when the challenge became a game; its id is the game's id. */
  answerTo(id: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting = () => {
        const fate = this.fates.get(id);
        if (fate === null) resolve();
        else if (fate !== undefined) reject(new NoGame(text.declined(fate)));
      };
      this.waiting();
    });
  }
}

/** The promise, unless the player cancels or it times out; `why` is the reason of the timeout. */
function within(promise: Promise<void>, given: AbortSignal, why: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(why())), PATIENCE_MS);
    const abort = () => reject(given.reason as Error);
    if (given.aborted) abort();
    given.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      given.removeEventListener('abort', abort);
    });
  });
}
