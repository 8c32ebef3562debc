// One stream for all tabs of a browser: the server closes the older of two, and two tabs must not fight.
import { ApiError } from './api';
import { follow } from './stream';

/** A decoded line and the time (`Date.now()`) at which it arrived. */
export interface Arrival {
  readonly value: unknown;
  readonly at: number;
}

export interface SharedSink {
  /** Handles a line; `true` ends the stream. */
  line(arrival: Arrival): boolean;
  connection(open: boolean): void;
  refused(error: ApiError): void;
  /** A line that sums up the stream so far for a new tab. */
  snapshot(): Arrival | null;
}

type Message = { readonly to?: string } & (
  | { readonly kind: 'hello'; readonly from: string }
  | ({ readonly kind: 'line' } & Arrival)
  | { readonly kind: 'connection'; readonly open: boolean }
  | { readonly kind: 'refused'; readonly status: number; readonly why: string }
);

/**
 * Follow `path` together with the other tabs that follow it. The tab that holds the lock reads the stream and tells the
 * others; when it closes, the next one in the queue takes over. The returned function leaves.
 */
export function followShared(path: string, sink: SharedSink): () => void {
  // Without a secure context (a page served to the local network) there are no locks: each tab reads for itself.
  if (!('locks' in navigator)) return lead(path, sink, () => undefined);

  const closed = new AbortController();
  const channel = new BroadcastChannel(`sparring:${path}`);
  const tab = crypto.randomUUID();
  const tell = (message: Message) => channel.postMessage(message);
  let leading = false;
  let status: Message | null = null;

  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (leading && data.kind === 'hello') {
      const line = sink.snapshot();
      if (line) tell({ kind: 'line', ...line, to: data.from });
      if (status) tell({ ...status, to: data.from });
    } else if (!leading && (data.to ?? tab) === tab) {
      deliver(data, sink);
    }
  };
  tell({ kind: 'hello', from: tab });

  navigator.locks
    .request(`sparring:${path}`, { signal: closed.signal }, () => {
      leading = true;
      const stop = lead(path, sink, (message) => {
        if (message.kind !== 'line') status = message;
        tell(message);
      });
      return new Promise<void>((resolve) => {
        closed.signal.addEventListener('abort', () => {
          stop();
          resolve();
        });
      });
    })
    .catch(() => undefined); // The wait for the lock was given up: the page left the game.

  return () => {
    closed.abort();
    channel.close();
  };
}

/** Reads the stream and forwards all lines to the other tabs. */
function lead(path: string, sink: SharedSink, tell: (message: Message) => void): () => void {
  return follow(path, {
    line(value) {
      const arrival = { value, at: Date.now() };
      tell({ kind: 'line', ...arrival });
      return sink.line(arrival);
    },
    connection(open) {
      tell({ kind: 'connection', open });
      sink.connection(open);
    },
    refused(error) {
      tell({ kind: 'refused', status: error.status, why: error.message });
      sink.refused(error);
    },
  });
}

function deliver(message: Message, sink: SharedSink): void {
  if (message.kind === 'line') sink.line(message);
  else if (message.kind === 'connection') sink.connection(message.open);
  else if (message.kind === 'refused') sink.refused(new ApiError(message.status, message.why));
}
