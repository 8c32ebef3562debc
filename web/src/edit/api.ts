// The API calls of the editor page; see docs/operate.md.
import { keyed } from '../key';

export type Kind = 'book' | 'personality';

export interface FileRow {
  readonly kind: Kind;
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
}

export interface Opened {
  readonly kind: Kind;
  readonly name: string;
  readonly path: string;
  readonly text: string;
  readonly version: string;
}

/** Lines and columns count from 1, columns in characters; the end is exclusive. */
export interface Finding {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly help: string | null;
}

export interface Branch {
  readonly depth: number;
  readonly move: string;
  readonly chance: number;
  readonly at: string;
  readonly name: string | null;
  readonly seen: boolean;
}

export interface BookPreview {
  readonly lines: number;
  readonly positions: number;
  readonly branches: readonly Branch[];
  readonly more: number;
  readonly trouble: string | null;
}

export interface PersonalityPreview {
  readonly title: string;
  readonly about: string;
  readonly strength: string;
  readonly ownLevel: number | null;
  readonly level: number | null;
  readonly levels: { readonly min: number; readonly max: number };
  readonly knobs: readonly { readonly name: string; readonly value: string; readonly doc: string }[];
  readonly keys: readonly { readonly path: string; readonly value: string; readonly doc: string; readonly line: number | null }[];
}

export interface Judged {
  readonly usable: boolean;
  readonly findings: readonly Finding[];
  readonly more: number;
  /** The version of the file. */
  readonly onDisk: string;
  readonly preview: BookPreview | PersonalityPreview | null;
}

export interface Draft {
  readonly kind: Kind;
  readonly name: string;
  readonly text: string;
  readonly from?: string;
  readonly depth?: number;
  readonly level?: number | null;
}

/** An error response. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** After a conflict: the current version of the file. */
    readonly version: string | null,
  ) {
    super(message);
  }
}

async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(path, { cache: 'no-store', ...init, headers: keyed(init.headers) });
  const body = (await response.json().catch(() => null)) as { readonly error?: unknown; readonly version?: unknown } | null;
  if (response.ok) return body as T;
  const { error, version } = body ?? {};
  throw new Refused(
    response.status,
    typeof error === 'string' ? error : `status ${response.status}`,
    typeof version === 'string' ? version : null,
  );
}

const post = <T>(path: string, value: unknown, signal?: AbortSignal): Promise<T> =>
  ask(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
    ...(signal ? { signal } : {}),
  });

export const files = (): Promise<{ readonly files: readonly FileRow[]; readonly most: number }> => ask('/edit/files');
export const open = (kind: Kind, name: string): Promise<Opened> =>
  ask(`/edit/file/${kind}/${encodeURIComponent(name)}`);
export const check = (draft: Draft, signal: AbortSignal): Promise<Judged> => post('/edit/check', draft, signal);
export const save = (draft: Draft, version: string): Promise<{ readonly version: string; readonly backup: string | null }> =>
  post('/edit/save', { kind: draft.kind, name: draft.name, text: draft.text, version });
