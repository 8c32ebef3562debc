// Routes: `#/` is the lobby, `#/game/ID` a game that any tab can open.

/** A page on the screen; `close` ends everything it started. */
export interface Page {
  readonly element: HTMLElement;
  close(): void;
}

export type Route = { readonly page: 'lobby' } | { readonly page: 'game'; readonly id: string };

export function route(hash: string): Route {
  const id = /^#\/game\/([A-Za-z0-9_-]+)$/.exec(hash)?.[1];
  return id === undefined ? { page: 'lobby' } : { page: 'game', id };
}

export function openGame(id: string): void {
  location.hash = `#/game/${id}`;
}

export function openLobby(): void {
  location.hash = '#/';
}

/** Moves the focus to the heading of the new page, for screen readers. */
export function focusHeading(page: HTMLElement): void {
  const focus = () => {
    const heading = page.querySelector<HTMLElement>('h1');
    if (!heading || heading.contains(document.activeElement)) return heading !== null;
    heading.tabIndex = -1;
    if (!page.contains(document.activeElement)) heading.focus({ preventScroll: true });
    return true;
  };
  if (focus()) return;
  const awaited = new MutationObserver(() => focus() && awaited.disconnect());
  awaited.observe(page, { childList: true, subtree: true });
}
