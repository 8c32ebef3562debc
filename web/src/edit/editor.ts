// Editor of one file: the daemon's parser checks the text, which is saved only if the bot can use it.
import { h, setText } from '../dom';
import type { Page } from '../route';
import { twice } from '../twice';
import * as api from './api';
import { dropDraft, keepDraft, recallDraft } from './drafts';
import { createPreview } from './preview';
import { createSheet } from './sheet';
import { words } from './words';

/** Delay between the last key and a check. */
const QUIET_MS = 250;

export function editorPage(opened: api.Opened, startLine: number | null): Page {
  const { kind, name } = opened;
  const left = new AbortController();
  /** The last known version on disk, and its text as the field shows it; `null` after another program has saved the file. */
  let disk: { readonly text: string | null; readonly version: string } = { text: inField(opened.text), version: opened.version };
  let ending = endingOf(opened.text);
  let findings: readonly api.Finding[] = [];
  let usable = true;
  let timer = 0;
  let saving = false;
  let saveAgain = false;
  let asked = new AbortController();

  const verdict = h('p', { id: 'verdict', class: 'verdict', role: 'status' }, words.checking);
  const told = h('p', { class: 'note told', role: 'status' });
  const list = h('ol', { class: 'findings', 'aria-label': words.findings });
  const typed = () => { said(''); note(); later(); };
  const sheet = createSheet(opened.path, typed);
  const { area } = sheet;
  const goToLine = (line: number) => sheet.goTo(line, 1);
  const preview = createPreview(kind, opened.path, () => later(), goToLine);
  const save = h('button', { type: 'button', class: 'primary', title: words.saveTip, onclick: () => void press() }, words.save);
  const conflict = conflictBanner(
    (version) => { disk = { text: null, version }; keep(); },
    () => void reread(),
  );

  const said = (text: string) => setText(told, text);
  const dirty = () => area.value !== disk.text;
  const keep = () => dirty() ? keepDraft(kind, name, { text: area.value, version: disk.version }) : dropDraft(kind, name);
  const note = () => {
    keep();
    if (dirty() && told.textContent === '') said(words.unsaved);
    document.title = `${dirty() ? '• ' : ''}${name} – ${words.title}`;
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void judge(), QUIET_MS);
  };
  const draft = (): api.Draft => ({ kind, name, text: area.value.replaceAll('\n', ending), ...preview.wanted() });

  async function judge(): Promise<void> {
    clearTimeout(timer);
    asked.abort();
    asked = new AbortController();
    const mine = asked;
    try {
      const judged = await api.check(draft(), mine.signal);
      if (mine.signal.aborted || left.signal.aborted) return;
      show(judged);
      preview.show(judged.preview);
      conflict.render(judged.onDisk === disk.version ? null : judged.onDisk);
    } catch (error) {
      if (!mine.signal.aborted && !left.signal.aborted) setText(verdict, words.failed((error as Error).message));
    }
  }

  function show(judged: Pick<api.Judged, 'usable' | 'findings' | 'more'>): void {
    ({ usable, findings } = judged);
    sheet.show(findings);
    const errors = findings.filter(({ severity }) => severity === 'error').length;
    setText(verdict, findings.length === 0 ? words.inOrder : words.found(errors, findings.length - errors));
    verdict.classList.toggle('bad', !usable);
    list.replaceChildren(...findings.map(findingRow), ...(judged.more > 0 ? [h('li', { class: 'note' }, words.more(judged.more))] : []));
  }
  const findingRow = (finding: api.Finding): HTMLElement =>
    h('li', {}, h('button', { type: 'button', class: finding.severity, onclick: () => goTo(finding) },
      h('b', {}, words.at(finding.line, finding.column)), ` ${words.severities[finding.severity] ?? ''}: ${finding.message}`,
      finding.help !== null && h('small', {}, ` ${finding.help}`)));
  const goTo = ({ line, column, endLine, endColumn }: api.Finding) => sheet.goTo(line, column, endLine === line ? endColumn : column);

  /** One save at a time: a second one of the same version would conflict with the first. */
  async function press(): Promise<void> {
    saveAgain = saving;
    if (saving) return;
    saving = true;
    let saved = await saveNow();
    while (saved && saveAgain) {
      saveAgain = false;
      saved = await saveNow();
    }
    saving = false;
  }

  /** False if the text could not be saved. */
  async function saveNow(): Promise<boolean> {
    if (!dirty()) return true;
    await judge();
    if (!usable) {
      said(words.mendFirst);
      return false;
    }
    const text = area.value;
    try {
      const { version, backup } = await api.save(draft(), disk.version);
      disk = { text, version };
      said(words.saved(backup));
      conflict.render(null);
      note();
      return true;
    } catch (error) {
      said(words.failed((error as Error).message));
      if (error instanceof api.Refused && error.status === 409) conflict.render(error.version);
      return false;
    }
  }

  async function reread(): Promise<void> {
    try {
      const fresh = await api.open(kind, name);
      const text = inField(fresh.text);
      disk = { text, version: fresh.version };
      ending = endingOf(fresh.text);
      area.value = text;
      said('');
      note();
      await judge();
    } catch (error) {
      said(words.failed((error as Error).message));
    }
  }

  /** The next finding after or before the caret, wrapping around. */
  function step(forward: boolean): void {
    const here = sheet.line();
    const next = forward
      ? findings.find(({ line }) => line > here) ?? findings[0]
      : [...findings].reverse().find(({ line }) => line < here) ?? findings.at(-1);
    if (next) goTo(next);
  }
  addEventListener('keydown', (event) => {
    if (event.key === 'F8') step(!event.shiftKey);
    else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's') void press();
    else return;
    event.preventDefault();
  }, { signal: left.signal });
  addEventListener('beforeunload', (event) => { if (dirty()) event.preventDefault(); }, { signal: left.signal });

  const kept = recallDraft(kind, name);
  area.value = kept?.text ?? inField(opened.text);
  if (kept && kept.text !== disk.text) {
    disk = { ...disk, version: kept.version };
    said(words.restored);
  }
  const element = h('div', { class: 'editor' },
    h('section', { class: 'writing', 'aria-label': opened.path },
      h('div', { class: 'spread' }, h('h1', {}, opened.path), save),
      conflict.element, sheet.element,
      h('div', { class: 'under' }, verdict, told), list, h('p', { class: 'note keys-note' }, words.keys)),
    preview.element);
  queueMicrotask(() => {
    note();
    if (startLine !== null) goToLine(startLine);
    sheet.redraw();
    void judge();
  });
  return {
    element,
    close() {
      left.abort();
      asked.abort();
      clearTimeout(timer);
      sheet.close();
    },
  };
}

/** A text with the line ends of a text field. */
const inField = (text: string): string => text.replace(/\r\n?/g, '\n');

/** The line end of a file: that of its first line, as in `book fmt`. */
const endingOf = (text: string): string => /^[^\r\n]*\r\n/.test(text) ? '\r\n' : '\n';

/** Another program has saved the file: asks which version to keep. */
function conflictBanner(keepMine: (version: string) => void, takeTheirs: () => void) {
  let version: string | null = null;
  const mine = h('button', { type: 'button', onclick: () => { if (version !== null) keepMine(version); render(null); } }, words.keepMine);
  const theirs = h('button', { type: 'button' }, words.takeTheirs);
  const { disarm } = twice(theirs, (armed) => setText(theirs, armed ? words.sure : words.takeTheirs), () => { render(null); takeTheirs(); });
  const element = h('div', { class: 'banner problem', role: 'alert', hidden: true }, h('span', {}, words.changed), mine, theirs);
  const render = (now: string | null) => {
    version = now;
    if (element.hidden !== (now === null)) disarm();
    element.hidden = now === null;
  };
  return { element, render };
}
