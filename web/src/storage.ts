// localStorage with validation; without storage nothing is remembered.

/** The value stored under `key` if it has the shape that `accept` wants. */
export function recall<T>(key: string, accept: (value: unknown) => value is T): T | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(`sparring.${key}`) ?? 'null');
    return accept(value) ? value : null;
  } catch {
    return null;
  }
}

export function remember(key: string, value: unknown): void {
  try {
    localStorage.setItem(`sparring.${key}`, JSON.stringify(value));
  } catch {
    // Private windows may refuse storage.
  }
}

export function forget(key: string): void {
  try {
    localStorage.removeItem(`sparring.${key}`);
  } catch {
    // As above.
  }
}

/** Narrow an unknown value to an object whose fields can be looked at. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
