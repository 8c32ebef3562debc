// Follows an NDJSON stream and reconnects after broken connections, silence and server restarts.
import { ApiError, request } from './api';

/** The server sends a line every 7 s at the latest; after two missed ones the connection is dead. */
const SILENCE_LIMIT_MS = 16_000;
const WATCH_EVERY_MS = 1_000;
const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 8_000;
/** What lichess asks for after "too many requests". */
const RATE_LIMIT_PAUSE_MS = 60_000;

export interface Sink {
  /** Handles a decoded line; `true` ends the stream. */
  line(value: unknown): boolean;
  connection(open: boolean): void;
  /** The server will never serve this stream (no such game, not yours). */
  refused(error: ApiError): void;
}

type Ask = (path: string, init: RequestInit) => Promise<Response>;

/** Open the stream and keep it open; the returned function closes it for good. `ask` makes the request, as the guest if left out. */
export function follow(path: string, sink: Sink, ask: Ask = request): () => void {
  const closed = new AbortController();
  void keepOpen(path, sink, ask, closed.signal);
  return () => closed.abort();
}

async function keepOpen(path: string, sink: Sink, ask: Ask, closed: AbortSignal): Promise<void> {
  let pause = FIRST_PAUSE_MS;
  while (!closed.aborted) {
    try {
      const finished = await readOnce(path, ask, closed, (value) => {
        pause = FIRST_PAUSE_MS;
        return sink.line(value);
      }, () => sink.connection(true));
      if (finished) return;
    } catch (error) {
      if (closed.aborted) return;
      if (error instanceof ApiError && [400, 403, 404].includes(error.status)) return sink.refused(error);
      if (error instanceof ApiError && error.status === 429) pause = RATE_LIMIT_PAUSE_MS;
    }
    if (closed.aborted) return;
    sink.connection(false);
    await pauseOrWake(pause * (0.75 + Math.random() / 2), closed);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

/** Read one connection to its end; `true` when the sink has had enough. */
async function readOnce(
  path: string,
  ask: Ask,
  closed: AbortSignal,
  line: (value: unknown) => boolean,
  opened: () => void,
): Promise<boolean> {
  const attempt = new AbortController();
  const abort = () => attempt.abort();
  closed.addEventListener('abort', abort, { once: true });
  let aliveAt = Date.now();
  // Checked every second against wall-clock time, so that a laptop notices at once when it wakes.
  const watchdog = setInterval(() => {
    if (Date.now() - aliveAt > SILENCE_LIMIT_MS) abort();
  }, WATCH_EVERY_MS);
  try {
    const headers = { Accept: 'application/x-ndjson' };
    const response = await ask(path, { headers, signal: attempt.signal });
    opened();
    for await (const value of jsonLines(response, () => (aliveAt = Date.now()))) {
      if (line(value)) return true;
    }
    return false;
  } finally {
    clearInterval(watchdog);
    closed.removeEventListener('abort', abort);
    attempt.abort();
  }
}

/** The JSON values of a streamed answer. Blank lines are keep-alives; a line that is no JSON costs only itself. */
async function* jsonLines(response: Response, alive: () => void): AsyncGenerator<unknown> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let rest = '';
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    alive();
    const lines = (rest + chunk.value).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      if (!text.trim()) continue;
      try {
        yield JSON.parse(text);
      } catch {
        console.warn('a line of the stream is not JSON and was skipped');
      }
    }
  }
}

/** Waits, unless the network or the page comes back before. */
export function pauseOrWake(ms: number, closed: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener('online', done);
      document.removeEventListener('visibilitychange', done);
      closed.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener('online', done);
    document.addEventListener('visibilitychange', done);
    closed.addEventListener('abort', done);
  });
}
