// The text area with line numbers and the findings beside their lines.
//
// Only visible lines are drawn, so that a book of 50,000 lines scrolls smoothly.
import { h } from '../dom';
import type { Finding } from './api';
import { words } from './words';

/** Pixels; the style sheet has the same. */
const LINE_HEIGHT = 20;
const PADDING = 8;
/** How many characters are measured for the width of one. */
const RULER = 40;

export interface Sheet {
  readonly element: HTMLElement;
  readonly area: HTMLTextAreaElement;
  show(findings: readonly Finding[]): void;
  /** Move the caret to a line and column, both from 1, and scroll to it. */
  goTo(line: number, column: number, endColumn?: number): void;
  /** The position of the caret. */
  line(): number;
  redraw(): void;
  close(): void;
}

/** Columns count characters, the text area counts UTF-16 units. */
const unitsBefore = (line: string, column: number): number => [...line].slice(0, column - 1).join('').length;

export function createSheet(path: string, typed: () => void): Sheet {
  const gutter = h('div', { class: 'numbers' });
  const marks = h('div', { class: 'marks' });
  const ruler = h('span', { class: 'ruler' }, '0'.repeat(RULER));
  const area = h('textarea', {
    'aria-label': words.textOf(path), 'aria-describedby': 'verdict', spellcheck: 'false', autocapitalize: 'off',
    autocomplete: 'off', wrap: 'off', oninput: typed,
  });
  const element = h('div', { class: 'sheet' },
    h('div', { class: 'gutter', 'aria-hidden': 'true' }, gutter),
    h('div', { class: 'pane' }, area, h('div', { class: 'overlay', 'aria-hidden': 'true' }, marks, ruler)));
  let byLine = new Map<number, Finding[]>();

  const place = (node: HTMLElement, line: number, left?: number, width?: number) => {
    node.style.top = `${PADDING + (line - 1) * LINE_HEIGHT}px`;
    if (left !== undefined) node.style.left = `calc(${PADDING}px + ${left}ch)`;
    if (width !== undefined) node.style.width = `${width}ch`;
    return node;
  };

  const redraw = () => {
    const { scrollTop, scrollLeft, clientHeight } = area;
    gutter.style.transform = `translateY(${-scrollTop}px)`;
    marks.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
    const lines = area.value.split('\n');
    const first = Math.max(Math.floor((scrollTop - PADDING) / LINE_HEIGHT), 0) + 1;
    const last = Math.min(first + Math.ceil(clientHeight / LINE_HEIGHT) + 1, lines.length);
    const numbers: HTMLElement[] = [];
    const notes: HTMLElement[] = [];
    const remarks: [HTMLElement, length: number, end: number][] = [];
    for (let line = first; line <= last; line += 1) {
      const found = byLine.get(line) ?? [];
      const worst = found.some(({ severity }) => severity === 'error') ? 'error' : found[0]?.severity;
      numbers.push(place(h('span', { class: worst ?? false }, String(line)), line));
      const text = lines[line - 1] ?? '';
      for (const { column, endLine, endColumn, severity } of found) {
        const to = endLine === line ? endColumn : [...text].length + 1;
        notes.push(place(h('span', { class: `squiggle ${severity}` }), line, column - 1, Math.max(to - column, 1)));
      }
      const [told] = found;
      if (told) {
        const remark = h('span', { class: `remark ${worst}` }, `${told.message}${told.help ? `; ${told.help}` : ''}`);
        remarks.push([remark, [...text].length, told.endLine === line ? told.endColumn : told.column]);
        notes.push(place(remark, line));
      }
    }
    gutter.replaceChildren(...numbers);
    marks.replaceChildren(...notes);
    // Right of the line, or at the right edge, but never over the finding. All widths are read before anything moves, so that the
    // browser lays out once.
    const right = scrollLeft + area.clientWidth - 8;
    const widths = remarks.map(([remark]) => remark.getBoundingClientRect().width);
    const unit = ruler.getBoundingClientRect().width / RULER;
    remarks.forEach(([remark, length, end], i) => {
      const [after, mistake] = [PADDING + (length + 1) * unit, PADDING + end * unit];
      remark.style.left = `${Math.max(Math.min(after, right - (widths[i] ?? 0)), mistake)}px`;
    });
  };
  area.addEventListener('scroll', redraw);
  const resized = new ResizeObserver(redraw);
  resized.observe(area);

  return {
    element,
    area,
    redraw,
    show(findings) {
      byLine = new Map();
      for (const finding of findings) byLine.set(finding.line, [...(byLine.get(finding.line) ?? []), finding]);
      area.setAttribute('aria-invalid', String(findings.some(({ severity }) => severity === 'error')));
      redraw();
    },
    goTo(line, column, endColumn = column) {
      const lines = area.value.split('\n');
      const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
      const text = lines[line - 1] ?? '';
      const [from, to] = [before + unitsBefore(text, column), before + unitsBefore(text, endColumn)];
      area.focus();
      area.setSelectionRange(from, Math.max(from, to));
      const top = (line - 1) * LINE_HEIGHT;
      if (top < area.scrollTop || top + 2 * LINE_HEIGHT > area.scrollTop + area.clientHeight) {
        area.scrollTop = Math.max(top - area.clientHeight / 2, 0);
      }
      area.scrollLeft = 0;
      redraw();
    },
    line: () => area.value.slice(0, area.selectionStart).split('\n').length,
    close: () => resized.disconnect(),
  };
}
