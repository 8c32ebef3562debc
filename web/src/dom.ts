// Builds DOM elements without markup strings, so that no text is parsed as HTML.

export type Child = Node | string | false | null | undefined;
type Listener = (event: never) => void;
type Props = Readonly<Record<string, string | number | boolean | Listener | null | undefined>>;

/** An element with attributes, listeners (`onclick`) and children. `false` and missing attributes are left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === 'function') node.addEventListener(name.slice(2), value as EventListener);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.filter(isNode));
  return node;
}

const isNode = (child: Child): child is Node | string =>
  child !== false && child !== null && child !== undefined;

/** Set text only if it has changed, to spare screen readers and layout. */
export function setText(node: Node, value: string): void {
  if (node.textContent !== value) node.textContent = value;
}

const ICON_PATHS = {
  flip: 'M7 4v14m0 0-3-3m3 3 3-3M17 20V6m0 0-3 3m3-3 3 3',
  takeback: 'M9 6 4 11l5 5M4 11h9a6 6 0 0 1 6 6v1',
  draw: 'M6 8l3-2v6M18 5 6 19M14 14.500c0-3 5-3 5 0 0 2-5 3-5 5h5',
  resign: 'M6 21V4m0 1c5-3 7 3 13 0v9c-6 3-8-3-13 0',
  abort: 'M6 6l12 12M18 6 6 18',
  more: 'M12 8v5l3 2M20 12a8 8 0 1 1-8-8M17 2v6m-3-3h6',
  sound: 'M5 10v4h3l5 4V6l-5 4zM16 9a4 4 0 0 1 0 6M18.500 6.500a8 8 0 0 1 0 11',
  silence: 'M5 10v4h3l5 4V6l-5 4zM16 10l5 5m0-5-5 5',
  settings: 'M4 7h9m4 0h3M4 17h3m4 0h9M15 5a2 2 0 1 0 .01 0M9 15a2 2 0 1 0 .01 0',
  theme: 'M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18',
  first: 'M7 5v14M18 5l-8 7 8 7',
  back: 'M15 5l-7 7 7 7',
  forward: 'M9 5l7 7-7 7',
  last: 'M17 5v14M6 5l8 7-8 7',
} as const;

export type IconName = keyof typeof ICON_PATHS;

/** A line icon in the color of the text, hidden from screen readers. */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', ICON_PATHS[name]);
  svg.append(path);
  return svg;
}

/** A chess piece drawn by the board's own style sheet, outside the board. */
export function figure(role: string, color: string): HTMLElement {
  const piece = document.createElement('piece');
  piece.className = `${role} ${color}`;
  return h('span', { class: 'figure cg-wrap', 'aria-hidden': 'true' }, piece);
}
