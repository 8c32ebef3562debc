// The browser of the tests: Debian's chromium, watched for requests to other hosts and for complaints on its console.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SHOTS = new URL('shots/', import.meta.url).pathname;

export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });

/**
 * A fresh visitor on a page of `url`. `complaints` collects what must stay empty: errors, violations of the policy,
 * requests to other hosts. `expected` is a pattern of console errors that the test provokes.
 */
export async function visit(browser, url, { expected = /^$/, ...options } = {}) {
  const viewport = { width: 1280, height: 800 };
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(15_000);
  const complaints = [];
  const complain = (text) => expected.test(text) || complaints.push(text);
  context.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    const isLocal = ['data:', 'blob:'].includes(protocol) || origin === new URL(url).origin;
    if (!isLocal) complain(`request to ${request.url()}`);
  });
  context.on('console', (message) => message.type() === 'error' && complain(message.text()));
  context.on('weberror', (error) => complain(String(error.error())));
  const page = await context.newPage();
  await page.goto(url);
  return { context, page, complaints };
}

/** Nothing serious on the page for people who use it with a screen reader or without colours. */
export async function assertAccessible(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`), []);
}

export async function shoot(page, name) {
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: `${SHOTS}${name}.png`, animations: 'disabled' });
}

/** The middle of a square on the screen. */
export async function square(page, key) {
  const { x, y, width } = await page.locator('cg-board').boundingBox();
  const white = await page.locator('.ground.orientation-white').count();
  const file = key.charCodeAt(0) - 97;
  const rank = Number(key[1]) - 1;
  const [column, row] = white ? [file, 7 - rank] : [7 - file, rank];
  return { x: x + (column + 0.5) * (width / 8), y: y + (row + 0.5) * (width / 8) };
}

export async function clickSquares(page, ...keys) {
  for (const key of keys) {
    const { x, y } = await square(page, key);
    await page.mouse.click(x, y);
  }
}

export async function tapSquares(page, ...keys) {
  for (const key of keys) {
    const { x, y } = await square(page, key);
    await page.touchscreen.tap(x, y);
  }
}

export async function drag(page, from, to) {
  const [start, end] = [await square(page, from), await square(page, to)];
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(end.x, end.y, { steps: 4 });
  await page.mouse.up();
}

/** Wait until `read` gives something that `accept` likes, and return it. */
export async function until(read, accept, what, limit = 15_000) {
  const deadline = Date.now() + limit;
  for (;;) {
    const value = await read();
    if (accept(value)) return value;
    assert.ok(Date.now() < deadline, `${what}; last seen: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
