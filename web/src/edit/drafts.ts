// Unsaved texts, kept as long as the tab lives.
import type { Kind } from './api';
import { isRecord } from '../storage';

export interface Kept {
  readonly text: string;
  /** The version of the file that was edited. */
  readonly version: string;
}

const key = (kind: Kind, name: string): string => `sparring.draft.${kind}.${name}`;

export function recallDraft(kind: Kind, name: string): Kept | null {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(key(kind, name)) ?? 'null');
    return isRecord(value) && typeof value['text'] === 'string' && typeof value['version'] === 'string'
      ? { text: value['text'], version: value['version'] }
      : null;
  } catch {
    return null;
  }
}

export function keepDraft(kind: Kind, name: string, draft: Kept): void {
  try {
    sessionStorage.setItem(key(kind, name), JSON.stringify(draft));
  } catch {
    // The text exceeds the browser's storage; closing the tab asks for confirmation.
  }
}

export function dropDraft(kind: Kind, name: string): void {
  try {
    sessionStorage.removeItem(key(kind, name));
  } catch {
    // As above.
  }
}
