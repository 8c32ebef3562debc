// A program that says exactly what a test tells it to: the calls of the editing page with answers of its choice.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const DIST = new URL('../dist/', import.meta.url);
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
const POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const TEXT = '# My book\n1. e4 e5 2. Nf3\n1. d4 d5\n';

export const finding = (line, column, changes = {}) => ({
  line, column, endLine: line, endColumn: column + 3, severity: 'error', message: '"Nf9" is not a move', help: 'did you mean Nf3?', ...changes,
});

export const branch = (depth, move, chance, changes = {}) =>
  ({ depth, move, chance, at: 'books/mine.book:2', name: 'King’s Pawn Game', seen: false, ...changes });

export class ScriptedEditor {
  /** Every draft that was to be judged, and every save. */
  checks = [];
  saves = [];
  files = [
    { kind: 'book', name: 'mine', path: 'books/mine.book', bytes: TEXT.length },
    { kind: 'book', name: 'huge', path: 'books/huge.book', bytes: 9_000_000 },
    { kind: 'personality', name: 'tim', path: 'personalities/tim.toml', bytes: 30 },
  ];
  texts = { 'book/mine': TEXT, 'personality/tim': 'level = 1400\n' };
  version = 'v1';
  /** Saves are answered when this is done. */
  saving = Promise.resolve();
  findings = [];
  more = 0;
  preview = {
    lines: 2, positions: 4, more: 0, trouble: null,
    branches: [branch(0, '1. e4', 0.6), branch(1, '1... e5', 1), branch(2, '2. Nf3', 1, { at: 'books/base.book:7' }), branch(0, '1. d4', 0.4, { at: 'books/mine.book:3', seen: true })],
  };
  profile = {
    title: 'Tim', about: 'Likes knights.', strength: 'level 1400, measured against engines, not against people', ownLevel: 1400, level: null,
    levels: { min: 600, max: 2800 },
    knobs: [{ name: 'noise', value: '30 cp', doc: 'spread of errors in judging a position' }, { name: 'nodes', value: 'none', doc: 'positions looked at to check the chosen move' }],
    keys: [{ path: 'level', value: '1400', doc: 'How strong it is.', line: 1 }, { path: 'takebacks', value: '0', doc: 'How often it lets a move be taken back.', line: null }],
  };
  #server = createServer((request, response) => void this.#answer(request, response));

  async start() {
    await new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${this.#server.address().port}/edit.html`;
  }

  async stop() {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request, response) {
    const { pathname } = new URL(request.url, 'http://localhost');
    const json = (value, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    let body = '';
    for await (const chunk of request) body += chunk;
    if (pathname === '/edit/files') return json({ files: this.files, most: 524_288 });
    if (pathname.startsWith('/edit/file/')) {
      const [kind, name] = pathname.slice('/edit/file/'.length).split('/').map(decodeURIComponent);
      const file = this.files.find((each) => each.kind === kind && each.name === name);
      const text = this.texts[`${kind}/${name}`];
      return file && text !== undefined ? json({ ...file, text, version: this.version }) : json({ error: 'Not found' }, 404);
    }
    if (pathname === '/edit/check') {
      const draft = JSON.parse(body);
      this.checks.push(draft);
      const findings = typeof this.findings === 'function' ? this.findings(draft.text) : this.findings;
      const preview = draft.kind === 'book' ? this.preview : { ...this.profile, level: draft.level ?? null };
      return json({ usable: findings.every(({ severity }) => severity !== 'error'), findings, more: this.more, onDisk: this.version, preview });
    }
    if (pathname === '/edit/save') {
      const wanted = JSON.parse(body);
      this.saves.push(wanted);
      await this.saving;
      if (wanted.version !== this.version) return json({ error: 'The file has changed since it was opened here', version: this.version }, 409);
      this.texts[`${wanted.kind}/${wanted.name}`] = wanted.text;
      this.version = `v${this.saves.length + 1}`;
      return json({ ok: true, version: this.version, backup: 'books/mine.book~' });
    }
    try {
      const name = pathname.slice(1);
      const content = await readFile(new URL(name, DIST));
      response.writeHead(200, { 'content-type': TYPES[name.split('.').pop()], 'content-security-policy': POLICY });
      response.end(content);
    } catch {
      json({ error: 'Not found' }, 404);
    }
  }
}
