// The dashboard of the real daemon: a game is watched, ends, is found in the archive and explained; and the owner's buttons work.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { launch, shoot, until, visit } from './browser.mjs';
import { startDaemon } from './daemon.mjs';

test('a game from its live board to the reasons of its moves, and an ending by a button', async () => {
  const daemon = await startDaemon();
  const browser = await launch();
  try {
    const { page, context, complaints } = await visit(browser, daemon.url);
    await page.getByText('All is well').waitFor();
    await page.getByText('No game is running.').waitFor();

    const { id } = await daemon.post('/api/challenge/Sparring', { 'clock.limit': 300, 'clock.increment': 3, color: 'white', rated: false });
    await page.locator('.live').waitFor();
    await until(() => daemon.post(`/api/board/game/${id}/move/e2e4`).catch(() => null), Boolean, 'the game has begun');
    const replied = async () => (await daemon.get(`/sandbox/game/${id}/view`)).moves;
    const moves = await until(replied, (played) => played.length === 2, 'the bot answers', 60_000);
    await page.getByText(/casual blitz/).waitFor();
    await shoot(page, 'at-work-1280x800');

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused: no new games start.').waitFor();
    await daemon.post(`/api/board/game/${id}/resign`);
    await page.getByText('No game is running.').waitFor();
    await page.getByRole('link', { name: 'Games' }).click();
    await page.locator('tbody a').first().click();
    await page.getByRole('button', { name: moves[1].san, exact: true }).click();
    await page.getByRole('heading', { name: `Why 1… ${moves[1].san}` }).waitFor();
    await page.getByText(/^From the book: |^Found by searching/).first().waitFor();
    await page.getByText(/^Static evaluation: [+−]?0.\d\d for the bot/).waitFor();
    await page.getByText('All terms of the evaluation').click();
    await page.getByRole('row', { name: /^material and squares \+/ }).waitFor();
    await shoot(page, 'at-work-game-1280x800');

    const said = await page.evaluate(async () => {
      const paths = ['overview', 'games', 'opponents', 'figures', 'books', 'levels', 'warnings'].map((name) => `/api/${name}`);
      const answers = ['/', '/metrics', '/healthz', ...paths].map(async (path) => (await fetch(path)).text());
      return (await Promise.all(answers)).join('\n');
    });
    assert.ok(!said.includes(daemon.token), 'the token is in no answer');

    await page.getByRole('link', { name: 'Now' }).click();
    await page.getByRole('button', { name: 'Stop after these games' }).click();
    await page.getByRole('button', { name: 'Sure? This stops the daemon' }).click();
    assert.equal(await daemon.ended, 0, 'the daemon ends as asked');
    assert.deepEqual(complaints.filter((line) => !/ERR_|Failed to load/.test(line)), []);
    await context.close();
  } finally {
    await browser.close();
    await daemon.stop();
  }
});

test('a book is mended in the page, and the next game is played by it', async () => {
  const daemon = await startDaemon({
    status: 'edit = true\n',
    play: 'personality = "tim"\n',
    files: { 'books/mine.book': '# Mine\n1. e4 e5\n', 'personalities/tim.toml': 'books = ["mine"]\nnodes = 1\ndelay = "off"\n' },
  });
  const browser = await launch();
  try {
    const { page, context, complaints } = await visit(browser, daemon.url);
    await page.getByRole('link', { name: 'Edit' }).click();
    const area = page.getByRole('textbox', { name: /^Text of .*mine\.book$/ });
    await page.getByText('1... e5').waitFor();
    await area.fill('# Mine\n1. e4 c9\n');
    await page.locator('.remark', { hasText: '"c9" is not a move' }).waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText(/A text with mistakes is not saved/).waitFor();
    const file = join(daemon.folder, 'books/mine.book');
    assert.equal(await readFile(file, 'utf8'), '# Mine\n1. e4 e5\n');
    await page.keyboard.press('F8');
    await page.keyboard.type('c6');
    await page.getByText('In order.').waitFor();
    await page.getByText('1... c6').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText(/^Saved\./).waitFor();
    assert.equal(await readFile(file, 'utf8'), '# Mine\n1. e4 c6\n');
    assert.equal(await readFile(`${file}~`, 'utf8'), '# Mine\n1. e4 e5\n');
    await page.getByRole('link', { name: 'tim' }).click();
    await page.getByRole('row', { name: /^nodes 1/ }).first().waitFor();
    await shoot(page, 'edit-at-work-1280x800');

    // The folders are looked at each second, and a file has to have rested by then: a game begun too early tells nothing.
    const reply = async () => {
      const { id } = await daemon.post('/api/challenge/Sparring', { 'clock.limit': 300, 'clock.increment': 3, color: 'white', rated: false });
      await until(() => daemon.post(`/api/board/game/${id}/move/e2e4`).catch(() => null), Boolean, 'the game has begun');
      const moves = await until(async () => (await daemon.get(`/sandbox/game/${id}/view`)).moves, (played) => played.length === 2, 'the bot answers', 60_000);
      await daemon.post(`/api/board/game/${id}/resign`);
      return moves[1].san;
    };
    await until(reply, (san) => san === 'c6', 'the new move is played', 30_000);
    assert.deepEqual(complaints, []);
    await context.close();
  } finally {
    await browser.close();
    await daemon.stop();
  }
});
