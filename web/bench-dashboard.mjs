// What sixteen live boards cost the daemon: its processor time while games run that nobody looks at, and while a browser
// shows them all. Linux alone: the figures are those of /proc.
import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { launch, until, visit } from './test/browser.mjs';
import { startDaemon } from './test/daemon.mjs';

const GAMES = 16;
/** Each game has a move of the guest so often, and an answer at once: the pace of blitz. */
const PACE_MS = 2_000;
const SPAN_MS = Number(process.env.SPAN_MS ?? 30_000);
/** Of one core, in the daemon. */
const BAR = 0.05;
/** What Linux counts processor time in. */
const TICKS_A_SECOND = 100;

/** Processor time of a process so far, in milliseconds. */
async function used(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may hold anything; user and system time are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_A_SECOND;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** One challenge at a time: a second one of the same guest would replace the first. Gives the id once it is a game. */
let turn = Promise.resolve();
function begin(daemon, left) {
  const mine = turn.then(async () => {
    const clock = { 'clock.limit': 600, 'clock.increment': 5, color: 'white', rated: false };
    const { id } = await daemon.post('/api/challenge/Sparring', clock);
    for (let tries = 0; tries < 100 && !left.aborted; tries += 1) {
      if (await daemon.get(`/sandbox/game/${id}/view`).catch(() => null)) return id;
      await pause(50);
    }
    return null;
  });
  turn = mine.catch(() => null);
  return mine;
}

/** A guest at one board: moves at its pace, and begins again when a game is over. */
async function play(daemon, left, moved) {
  let id = null;
  while (!left.aborted) {
    const begun = performance.now();
    try {
      id ??= await begin(daemon, left);
      if (id === null) continue;
      const now = await daemon.get(`/sandbox/game/${id}/view`);
      if (now.status !== 'started' && now.status !== 'created') id = null;
      else if (now.turn === 'white') {
        const { uci } = now.legal[Math.floor(Math.random() * now.legal.length)];
        await daemon.post(`/api/board/game/${id}/move/${uci}`);
        moved();
      }
    } catch {
      // A game that ended meanwhile.
    }
    await pause(Math.max(PACE_MS - (performance.now() - begun), 50));
  }
}

const daemon = await startDaemon({
  play: 'personality = "instant"\n',
  // One position a move: what remains is the daemon.
  files: { 'personalities/instant.toml': 'nodes = 1\ndelay = "off"\nbooks = []\n', 'books/none.book': '1. e4\n' },
});
const browser = await launch();
const left = new AbortController();
let moves = 0;
const guests = Array.from({ length: GAMES }, () => play(daemon, left.signal, () => (moves += 1)));
try {
  const { page } = await visit(browser, daemon.url);
  await until(() => page.locator('.live').count(), (count) => count === GAMES, 'all games run', 60_000);
  const measure = async (what) => {
    const [time, before, begun] = [await used(daemon.pid), moves, performance.now()];
    await pause(SPAN_MS);
    const wall = performance.now() - begun;
    const share = ((await used(daemon.pid)) - time) / wall;
    console.log(`${what}: ${(share * 100).toFixed(2)} % of one core; ${(((moves - before) * 1_000) / wall).toFixed(1)} moves of guests a second`);
    return share;
  };
  await page.goto('about:blank');
  const alone = await measure(`${GAMES} games, nobody looks`);
  await page.goto(daemon.url);
  await until(() => page.locator('.live').count(), (count) => count >= GAMES - 2, 'the boards are there again');
  const watched = await measure(`${GAMES} games, a browser shows all boards`);
  console.log(`the boards: ${((watched - alone) * 100).toFixed(2)} % of one core, bar ${BAR * 100} %; load ${loadavg()[0].toFixed(1)}`);
  if (watched - alone >= BAR) process.exitCode = 1;
} finally {
  left.abort();
  await Promise.all(guests);
  await browser.close();
  await daemon.stop();
}
