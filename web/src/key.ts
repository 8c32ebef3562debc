// The key in the fragment of the printed URL. Only with it may one play and edit, since other users of the machine can connect.
import { isRecord, recall, remember } from './storage';

const isText = (value: unknown): value is string => typeof value === 'string';
/** Fallback for browsers without storage. */
let taken: string | null = null;

/**
 * Take the key out of the address. The browser keeps it, for every tab of this program; behind the `#` it went to no server,
 * and it is gone from what can be seen, shared and bookmarked. False where there is none.
 */
export function takeKey(): boolean {
  const key = /^#key=(\w+)$/.exec(location.hash)?.[1];
  if (key === undefined) return false;
  taken = key;
  remember('key', key);
  history.replaceState(null, '', '#/');
  return true;
}

/** The request headers that carry the key. */
export function keyed(headers?: HeadersInit): Headers {
  const all = new Headers(headers);
  const key = recall('key', isText) ?? taken;
  if (key !== null) all.set('X-Sandbox-Key', key);
  return all;
}

/** Whether an answer says that the key is missing, or that it is one of an earlier start of the program. */
export const needsKey = (status: number, body: unknown): boolean =>
  status === 403 && isRecord(body) && body['needs'] === 'key';

/** Another tab was opened with a key: this one can go on with it. */
export function onNewKey(then: () => void): void {
  addEventListener('storage', ({ key }) => key === 'sparring.key' && then());
}
