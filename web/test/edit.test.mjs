// The editing page: mistakes beside their lines, a preview that follows, saves that lose nothing; for eyes, keys and screen readers.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible, launch, shoot, until, visit } from './browser.mjs';
import { NASTY } from './nasty.mjs';
import { ScriptedEditor, TEXT, branch, finding } from './scripted-editor.mjs';

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** Open the page on a scripted program, look, and check that it had nothing to complain about. */
async function onEditor(prepare, look, options = {}) {
  const server = new ScriptedEditor();
  prepare(server);
  const url = await server.start();
  const visitor = await visit(browser, url, options);
  try {
    await look({ ...visitor, server, url, area: visitor.page.locator('textarea') });
    assert.deepEqual(visitor.complaints, []);
  } finally {
    await visitor.context.close();
    await server.stop();
  }
}

const NF9 = '# My book\n1. e4 e5 2. Nf9\n1. d4 d5\n';
const nf9 = (text) => (text.includes('Nf9') ? [finding(2, 13)] : []);
const nothingSticksOut = async (page) =>
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing breaks the layout');
const caret = (page) => page.evaluate(() => document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd));

test('a mistake stands beside its line as one types, and goes when it is mended', () =>
  onEditor((server) => (server.findings = nf9), async ({ page, area }) => {
    await page.getByText('In order.').waitFor();
    await area.fill(NF9);
    await page.getByText('1 mistake', { exact: true }).waitFor();
    await page.locator('.remark.error', { hasText: '"Nf9" is not a move; did you mean Nf3?' }).waitFor();
    assert.equal(await page.locator('.numbers .error').textContent(), '2');
    assert.equal(await area.getAttribute('aria-invalid'), 'true');
    const [remark, squiggle] = [await page.locator('.remark').boundingBox(), await page.locator('.squiggle').boundingBox()];
    assert.ok(Math.abs(remark.y - squiggle.y) < 2 && remark.x > squiggle.x + squiggle.width, 'in the same line, after its text');
    await assertAccessible(page);
    await shoot(page, 'edit-1280x800');
    await page.keyboard.press('F8');
    assert.equal(await caret(page), 'Nf9', 'F8 leads to it');
    await page.keyboard.type('Nf3');
    await page.getByText('In order.').waitFor();
    assert.equal(await page.locator('.remark').count(), 0);
  }));

test('mistakes are reached by keyboard alone, forward, back and from the list', () =>
  onEditor((server) => (server.findings = [finding(1, 3), finding(3, 4, { severity: 'warning' })]), async ({ page, area }) => {
    await page.getByText('1 mistake, 1 warning').waitFor();
    await area.focus();
    const line = () => page.evaluate(() => document.activeElement.value.slice(0, document.activeElement.selectionStart).split('\n').length);
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('F8');
    assert.equal(await line(), 3);
    await page.keyboard.press('F8');
    assert.equal(await line(), 1, 'round the end');
    await page.keyboard.press('Shift+F8');
    assert.equal(await line(), 3);
    await page.getByRole('list', { name: 'Findings' }).getByRole('button').first().press('Enter');
    assert.equal(await line(), 1);
  }));

test('a text in order is saved by Ctrl+S, and the next save is of what was saved', () =>
  onEditor(() => undefined, async ({ page, area, server }) => {
    await area.fill(`${TEXT}1. c4\n`);
    await page.getByText('Not saved yet.').waitFor();
    assert.match(await page.title(), /^• mine/);
    await page.keyboard.press('Control+s');
    await page.getByText(/^Saved\. Games use it within two seconds; the previous version is books\/mine\.book~/).waitFor();
    assert.match(await page.title(), /^mine/);
    assert.deepEqual(server.saves.map(({ text, version }) => [text, version]), [[`${TEXT}1. c4\n`, 'v1']]);
    await area.fill(TEXT);
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await until(() => server.saves.length, (count) => count === 2, 'the second save');
    assert.equal(server.saves[1].version, 'v2');
  }));

test('a text with Windows line ends is as it was until one types, and keeps them', () =>
  onEditor((server) => (server.texts['book/mine'] = '# My book\r\n1. e4 e5\r\n'), async ({ page, area, server }) => {
    await page.getByText('In order.').waitFor();
    assert.equal(await page.getByText('Not saved yet.').count(), 0);
    assert.match(await page.title(), /^mine/);
    assert.equal(await page.evaluate(() => sessionStorage.length), 0, 'no draft that nobody typed');
    assert.equal(server.checks.at(-1).text, '# My book\r\n1. e4 e5\r\n');
    await area.fill('# My book\n1. e4 c5\n');
    await page.getByText('Not saved yet.').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText(/^Saved\./).waitFor();
    assert.equal(server.saves[0].text, '# My book\r\n1. e4 c5\r\n');
    assert.match(await page.title(), /^mine/, 'nothing is left to save');
  }));

test('a second press on Save is no conflict with the first, saves what was typed meanwhile, and nothing twice', () =>
  onEditor(() => undefined, async ({ page, area, server }) => {
    let answer;
    server.saving = new Promise((resolve) => (answer = resolve));
    await area.fill('1. c4\n');
    await page.getByRole('button', { name: 'Save' }).dblclick();
    await until(() => server.saves.length, (count) => count > 0, 'the first save');
    await area.fill('1. c4 e5\n');
    await page.keyboard.press('Control+s');
    answer();
    await until(() => page.title(), (title) => title.startsWith('mine'), 'all is saved');
    await page.getByText(/^Saved\./).waitFor();
    await page.keyboard.press('Control+s');
    await page.getByRole('button', { name: 'Save' }).dblclick();
    await area.fill('1. c4 c5\n');
    await page.keyboard.press('Control+s');
    await until(() => server.saves.length, (count) => count > 2, 'the last save');
    assert.deepEqual(server.saves.map(({ text, version }) => [text, version]), [
      ['1. c4\n', 'v1'], ['1. c4 e5\n', 'v2'], ['1. c4 c5\n', 'v3'],
    ]);
    assert.equal(await page.locator('.banner').isVisible(), false);
  }));

test('a text with mistakes is not saved, and nothing of it is lost by leaving', () =>
  onEditor((server) => (server.findings = nf9), async ({ page, area, server }) => {
    page.on('dialog', (dialog) => dialog.accept());
    await area.fill(NF9);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/A text with mistakes is not saved/).waitFor();
    assert.equal(server.saves.length, 0);
    await page.getByRole('link', { name: 'tim' }).click();
    await page.getByText('Tim: Likes knights.').waitFor();
    await page.getByRole('link', { name: 'mine' }).click();
    await page.getByText('This text was not saved when the page was left.').waitFor();
    assert.equal(await area.inputValue(), NF9);
    await page.reload();
    await page.getByText('This text was not saved when the page was left.').waitFor();
    assert.equal(await area.inputValue(), NF9);
  }));

test('somebody else’s save is noticed, and either text can be kept', () =>
  onEditor(() => undefined, async ({ page, area, server }) => {
    await area.fill('1. c4\n');
    await until(() => server.checks.at(-1)?.text, (text) => text === '1. c4\n', 'it is judged');
    server.texts['book/mine'] = '1. Nf3\n';
    server.version = 'theirs';
    await page.keyboard.press('Control+s');
    await page.getByText('The file has changed on the disk since it was opened here.').waitFor();
    await assertAccessible(page);
    assert.equal(server.texts['book/mine'], '1. Nf3\n', 'nothing was overwritten');
    await page.getByRole('button', { name: 'Keep mine' }).press('Enter');
    await page.keyboard.press('Control+s');
    await page.getByText(/^Saved\./).waitFor();
    assert.equal(server.texts['book/mine'], '1. c4\n');

    server.texts['book/mine'] = '1. Nf3\n';
    server.version = 'theirs again';
    await area.fill('1. e4\n');
    const again = page.getByRole('button', { name: 'Read the file again' });
    await again.click();
    assert.equal(await area.inputValue(), '1. e4\n', 'once is not enough');
    await page.getByRole('button', { name: 'Sure? Your text will be lost' }).click();
    await until(() => area.inputValue(), (text) => text === '1. Nf3\n', 'theirs is read');
    assert.equal(await page.locator('.banner').isVisible(), false);
  }, { expected: /409/ }));

test('the tree of a book is shown from where one wants, and leads to the lines', () =>
  onEditor(() => undefined, async ({ page, server }) => {
    await page.getByText('2 lines of moves, 4 positions.').waitFor();
    assert.deepEqual(await page.locator('.tree li').first().locator('.chance, .move, .name').allTextContents(), ['60 %', '1. e4', 'King’s Pawn Game']);
    await page.getByRole('textbox', { name: 'From' }).fill('1. d4');
    await page.getByRole('combobox', { name: 'Half moves' }).selectOption('8');
    await until(() => server.checks.at(-1), ({ from, depth }) => from === '1. d4' && depth === 8, 'it is asked for');
    await page.getByRole('button', { name: 'To line 3' }).click();
    assert.equal(await page.evaluate(() => document.activeElement.value.slice(0, document.activeElement.selectionStart)), '# My book\n1. e4 e5 2. Nf3\n');
    server.preview = { ...server.preview, branches: [], trouble: '"e9" is not a move, at the start' };
    await page.getByRole('textbox', { name: 'From' }).fill('1. e9');
    await page.getByText('"e9" is not a move, at the start').waitFor();
  }));

test('a personality shows its knobs at its own level and at others', () =>
  onEditor(() => undefined, async ({ page, server }) => {
    await page.getByRole('link', { name: 'tim' }).press('Enter');
    await page.getByText('Strength: level 1400, measured against engines, not against people.').waitFor();
    await page.getByRole('row', { name: /noise 30 cp/ }).waitFor();
    await page.getByRole('row', { name: /takebacks 0/ }).waitFor();
    await page.getByRole('slider', { name: 'Parameters at level' }).press('ArrowRight');
    await until(() => server.checks.at(-1).level, (level) => level === 1450, 'the next level is asked for');
    await page.locator('output', { hasText: '1450' }).waitFor();
    await page.getByRole('button', { name: 'as written' }).press('Enter');
    await until(() => server.checks.at(-1).level, (level) => level === null, 'its own again');
    await assertAccessible(page);
    await shoot(page, 'edit-personality-1280x800');
  }));

test('short words of a personality are not broken in the tables beside it', () =>
  onEditor((server) => {
    const key = (path, value, line) => ({ path, value, doc: 'What people see.', line });
    server.profile.keys = [key('title', '"Clara from the club"', 1), key('draw-after-move', '25', null), key('by-speed.bullet.resign-behind', '1000', 7)];
  }, async ({ page, url }) => {
    await page.goto(`${url}#/personality/tim`);
    await page.getByRole('row', { name: /Clara from the club/ }).waitFor();
    await shoot(page, 'edit-personality-1440x900');
    // A line of text is as high as its type; "Clara from the club" is two short ones, not one of four letters after another.
    const lines = await page.locator('tbody td:nth-child(2)').evaluateAll((all) => all.map((cell) => {
      const text = document.createRange();
      text.selectNodeContents(cell);
      return new Set([...text.getClientRects()].map(({ top }) => Math.round(top))).size;
    }));
    assert.ok(lines.every((count) => count <= 2), `lines of each value: ${lines}`);
    await nothingSticksOut(page);
  }, { viewport: { width: 1440, height: 900 } }));

test('an address names a file and a line of it; other names lead nowhere', () =>
  onEditor(() => undefined, async ({ page, url }) => {
    await page.goto(`${url}#/book/mine:3`);
    await until(() => page.evaluate(() => document.activeElement.value?.slice(0, document.activeElement.selectionStart)), (before) => before === '# My book\n1. e4 e5 2. Nf3\n', 'the caret is there');
    assert.equal(await page.getByRole('link', { name: 'mine', exact: true }).getAttribute('aria-current'), 'page');
    await page.getByText('huge (too large to be edited here)').waitFor();
    for (const place of ['#/book/..%2Fsecret', '#/book/nobody']) {
      await page.goto(`${url}${place}`);
      await page.getByText('That did not work: Not found').waitFor();
    }
    await page.goto(`${url}#/book/%`);
    await page.getByText('Choose a book or a personality.').waitFor();
  }, { expected: /404/ }));

test('the largest text is typed in without delay, and only lines in sight are drawn', (t) => {
  const long = '1. e4 e5 2. Nf3 Nc6 3. Bb5 a6\n'.repeat(17_000);
  return onEditor((server) => (server.texts['book/mine'] = long), async ({ page, area }) => {
    await page.getByText('In order.').waitFor();
    assert.ok(await page.locator('.numbers span').count() < 60);
    await area.focus();
    await page.keyboard.press('Control+Home');
    await page.evaluate(() => {
      globalThis.keys = [];
      addEventListener('keydown', ({ timeStamp }) => requestAnimationFrame(() => globalThis.keys.push(performance.now() - timeStamp)), true);
    });
    for (let i = 1; i <= 10; i += 1) {
      await page.keyboard.press('x');
      await page.waitForFunction((count) => globalThis.keys.length === count, i);
    }
    const best = await page.evaluate(() => Math.min(...globalThis.keys));
    t.diagnostic(`a key in a text of 510 kB: ${Math.round(best)} ms, bar 100 ms`);
    assert.ok(best < 100, `a key took ${best} ms`);
    await page.keyboard.press('Control+End');
    await page.locator('.numbers span', { hasText: /^17001$/ }).waitFor();
    await area.fill('');
  });
});

const phone = { viewport: { width: 360, height: 640 }, colorScheme: 'dark', hasTouch: true };
test('a phone shows texts, mistakes and previews, in the dark, and nothing sticks out', () =>
  onEditor((server) => {
    server.findings = [finding(2, 13)];
    server.texts['personality/tim'] = 'level = 1400\ntakebacks = "no"\n';
  }, async ({ page, url }) => {
    for (const [place, name] of [['#/book/mine', 'book'], ['#/personality/tim', 'personality']]) {
      await page.goto(`${url}${place}`);
      await page.getByText('1 mistake').first().waitFor();
      await page.locator('.tree li, tbody tr').first().waitFor();
      await nothingSticksOut(page);
      const [remark, squiggle] = [await page.locator('.remark').boundingBox(), await page.locator('.squiggle').boundingBox()];
      assert.ok(remark.x >= squiggle.x + squiggle.width, 'the word does not cover what it is about');
      await assertAccessible(page);
      await shoot(page, `edit-${name}-360x640`);
    }
  }, phone));

test('names, texts, findings and previews are text, whatever they contain', () =>
  onEditor((server) => {
    server.files = NASTY.map((name) => ({ kind: 'book', name, path: name, bytes: 9 }));
    server.texts = Object.fromEntries(NASTY.map((name) => [`book/${name}`, NASTY.join('\n')]));
    server.findings = NASTY.map((message, i) => finding(i + 1, 1, { message, help: message }));
    server.preview = { ...server.preview, branches: NASTY.map((text) => branch(0, text, 0.1, { at: text, name: text })), trouble: null };
  }, async ({ page, url }) => {
    page.on('dialog', () => assert.fail('a script ran'));
    assert.equal(await page.locator('nav a').count(), NASTY.length);
    await until(() => page.locator('.findings li').count(), (count) => count === NASTY.length, 'all findings are there');
    assert.equal(await page.locator('.tree .move').first().textContent(), NASTY[0]);
    assert.equal(await page.locator('main img, main script, main iframe, main [onload], main [onerror], main a').count(), 0);
    assert.equal(await page.locator('nav a[href^="javascript"]').count(), 0);
    await nothingSticksOut(page);
    await page.goto(`${url}#/book/${encodeURIComponent(NASTY[1])}`);
    await page.getByRole('heading', { name: NASTY[1] }).waitFor();
    await nothingSticksOut(page);
  }));

test('a program that is gone is told of, and the text stays', () =>
  onEditor(() => undefined, async ({ page, area, server }) => {
    await page.getByText('In order.').waitFor();
    await server.stop();
    await area.fill('1. c4\n');
    await page.getByText(/^That did not work/).waitFor();
    assert.equal(await area.inputValue(), '1. c4\n');
    server.stop = async () => undefined;
  }, { expected: /ERR_/ }));
