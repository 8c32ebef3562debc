// Takes the pictures of the README from the real program: a guest (the same engine, by UCI) beats the weakest opponent.
import { spawn } from 'node:child_process';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { launch, until, visit } from './test/browser.mjs';
import { startDaemon } from './test/daemon.mjs';
import { startSparring } from './test/sparring.mjs';

const OUT = new URL('../docs/images/', import.meta.url).pathname;
const BIN = process.env.SPARRING_BIN ?? '../target/debug/sparring';
/** Enough to beat a beginner, and soon done on any machine. */
const GUEST_NODES = 3_000;
/** The picture of the game is taken here: the middle game, pieces all over the board. */
const GAME_PLIES = 16;
/** So many games run on the picture of the dashboard, each so many half moves old. */
const LIVE_PLIES = [6, 11, 16, 21, 26, 31];
/** Bytes of all pictures together; a repository keeps every version. */
const LIMIT = 900_000;

/** An engine that answers the move to play in a position. */
function engine() {
  const program = spawn(BIN, ['uci'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: program.stdout });
  const say = (line) => program.stdin.write(`${line}\n`);
  say('uci');
  return {
    bestMove(fen) {
      return new Promise((resolve) => {
        const listen = (line) => {
          const found = /^bestmove (\S+)/.exec(line);
          if (!found) return;
          lines.off('line', listen);
          resolve(found[1]);
        };
        lines.on('line', listen);
        say(`position fen ${fen}`);
        say(`go nodes ${GUEST_NODES}`);
      });
    },
    stop: () => program.stdin.end('quit\n'),
  };
}

const choose = (page, text) => page.locator('label', { hasText: text }).first().click();

/** The rules as the server knows them. */
const view = (page) => page.evaluate(async () => {
  const { token } = JSON.parse(localStorage.getItem('sparring.guest'));
  const id = location.hash.split('/').pop();
  return (await fetch(`/sandbox/game/${id}/view`, { headers: { Authorization: `Bearer ${token}` } })).json();
});

async function shoot(page, name) {
  await page.screenshot({ path: `${OUT}${name}.png`, animations: 'disabled' });
}

/** The same guest with a phone in the hand: another tab of the browser, for two browsers would fight for the stream. */
async function shootPhone(context, url) {
  const page = await context.newPage();
  await page.setViewportSize({ width: 390, height: 720 });
  await page.goto(url);
  await page.waitForSelector('.move-list button[aria-current]');
  await until(() => page.locator('.who').first().textContent(), Boolean, 'the opponent has a name');
  await shoot(page, 'phone');
  await page.close();
}

/** The daemon at work: games of different ages, and one that is over, explained. */
async function shootDashboard(browser, guest) {
  const daemon = await startDaemon();
  const watching = new AbortController();
  try {
    const games = [];
    for (const plies of LIVE_PLIES) games.push(await playOn(daemon, guest, plies, watching.signal));
    const { page, context } = await visit(browser, daemon.url);
    await until(() => page.locator('.live').count(), (count) => count === LIVE_PLIES.length, 'all boards are there');
    await shoot(page, 'dashboard');
    await daemon.post(`/api/board/game/${games.at(-1)}/resign`);
    await until(() => page.locator('.live').count(), (count) => count < LIVE_PLIES.length, 'one game is over');
    await page.goto(`${daemon.url}#/game/${games.at(-1)}`);
    await page.locator('.off-book').first().click();
    await page.locator('.left-book').waitFor();
    // And on to the first move after it that a search found, in a position that is judged.
    const full = page.locator('.why-body:has(.seen-lines ~ .by-itself ~ .seen-lines)');
    for (let step = 0; step < 12 && (await full.count()) === 0; step++) await page.keyboard.press('ArrowRight');
    await page.evaluate(() => document.activeElement.blur());
    await shoot(page, 'why');
    await context.close();
  } finally {
    watching.abort();
    await daemon.stop();
  }
}

/** A book under the pen, with a slip in one line. */
async function shootEditing(browser) {
  const book = await readFile('../books/starter.book', 'utf8');
  const daemon = await startDaemon({
    status: 'edit = true\n',
    files: {
      'books/starter.book': book.replace('1. c4 e5 50 | Nf6 30', '1. c4 e5 50 | Nf9 30'), 'books/main.book': '1. d4\n', 'books/solid.book': '1. d4\n',
      'personalities/club.toml': await readFile('../personalities/club.toml', 'utf8'),
    },
  });
  try {
    const viewport = { width: 1280, height: 720 };
    const { page, context } = await visit(browser, `${daemon.url}edit.html#/book/starter`, { viewport });
    await page.locator('.findings button').first().click();
    await page.locator('.tree li').first().waitFor();
    await page.evaluate(() => document.activeElement.blur());
    await shoot(page, 'edit');
    await context.close();
  } finally {
    await daemon.stop();
  }
}

/** A game that is so many half moves old, with the guest to move or not. */
async function playOn(daemon, guest, plies, watching) {
  const form = { 'clock.limit': 1800, 'clock.increment': 5, color: plies % 2 ? 'black' : 'white', rated: false };
  const { id } = await daemon.post('/api/challenge/Sparring', form);
  const mine = plies % 2 ? 'black' : 'white';
  await until(() => daemon.get(`/sandbox/game/${id}/view`).catch(() => null), Boolean, 'the game has begun');
  // Who does not look at a game has left it, and the bot may claim it.
  await daemon.watch(id, watching);
  for (;;) {
    const now = await daemon.get(`/sandbox/game/${id}/view`).catch(() => null);
    if (now && now.status !== 'started') return playOn(daemon, guest, plies, watching); // Mated too early: another one.
    if (now && now.moves.length >= plies) return id;
    if (now?.turn === mine) await daemon.post(`/api/board/game/${id}/move/${await guest.bestMove(now.fen)}`);
    else await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const browser = await launch();
const sparring = await startSparring();
const guest = engine();
try {
  await mkdir(OUT, { recursive: true });
  const { page, context } = await visit(browser, sparring.url);
  const play = page.getByRole('button', { name: 'Play', exact: true });
  await until(() => play.isEnabled(), Boolean, 'the bot is there');
  await shoot(page, 'lobby');

  await choose(page, 'Bea');
  await choose(page, 'White');
  await choose(page, '10+0');
  await play.click();
  await page.waitForSelector('cg-board piece');
  await page.getByRole('textbox', { name: 'Say something' }).fill('!fast');
  await page.keyboard.press('Enter');
  for (;;) {
    const now = await until(() => view(page), ({ turn, status }) => turn === 'white' || status !== 'started', 'our turn', 60_000);
    if (now.status !== 'started') break;
    if (now.moves.length === GAME_PLIES) {
      await page.evaluate(() => document.activeElement.blur());
      await shoot(page, 'game');
      await shootPhone(context, page.url());
    }
    await until(() => page.title(), (title) => title.startsWith('Your turn'), 'the page knows it too');
    await page.getByRole('textbox', { name: /Type a move/ }).fill(await guest.bestMove(now.fen));
    await page.keyboard.press('Enter');
    await until(() => view(page), ({ moves }) => moves.length > now.moves.length, 'our move', 10_000);
  }
  await page.getByText('You were too good for me').waitFor();
  await shoot(page, 'end');
  await context.close();
  await shootDashboard(browser, guest);
  await shootEditing(browser);

  let total = 0;
  for (const name of ['lobby', 'game', 'end', 'phone', 'dashboard', 'why', 'edit']) {
    const { size } = await stat(`${OUT}${name}.png`);
    total += size;
    console.log(`${String(size).padStart(7)} bytes  docs/images/${name}.png`);
  }
  if (total > LIMIT) throw new Error(`${total} bytes of pictures, limit ${LIMIT}`);
} finally {
  guest.stop();
  await sparring.stop();
  await browser.close();
}
