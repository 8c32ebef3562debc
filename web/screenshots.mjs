// Takes the pictures of the README from the real program: a guest (the same engine, by UCI) beats the weakest opponent.
import { spawn } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { launch, until, visit } from './test/browser.mjs';
import { startSparring } from './test/sparring.mjs';

const OUT = new URL('../docs/images/', import.meta.url).pathname;
const BIN = process.env.SPARRING_BIN ?? '../target/debug/sparring';
/** Enough to beat a beginner, and soon done on any machine. */
const GUEST_NODES = 3_000;
/** The picture of the game is taken here: the middle game, pieces all over the board. */
const GAME_PLIES = 16;
/** Bytes of all pictures together; a repository keeps every version. */
const LIMIT = 600_000;

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

  let total = 0;
  for (const name of ['lobby', 'game', 'end', 'phone']) {
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
