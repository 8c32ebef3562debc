// The real daemon under test: `sparring run` against `sparring sandbox`, with its dashboard on a free port.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const BIN = resolve(process.env.SPARRING_BIN ?? '../target/debug/sparring');
const START_LIMIT_MS = 30_000;

/** Start a program and wait until it has said all of `patterns`; gives what they caught, in order. */
function start(args, env, patterns, cwd = '.') {
  const program = spawn(BIN, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  const ended = new Promise((resolve) => program.once('exit', resolve));
  let said = '';
  const caught = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${args[0]} did not say it within 30 s:\n${said}`)), START_LIMIT_MS);
    const listen = (chunk) => {
      said += chunk;
      const found = patterns.map((pattern) => pattern.exec(said)?.[1]);
      if (found.every(Boolean)) {
        clearTimeout(timer);
        resolve(found);
      }
    };
    program.stdout.on('data', listen);
    program.stderr.on('data', listen);
    ended.then((code) => reject(new Error(`${args[0]} ended with ${code}:\n${said}`)));
  });
  caught.catch(() => undefined); // Whoever awaits it hears of it.
  return {
    caught,
    ended,
    pid: program.pid,
    async stop() {
      program.kill('SIGINT');
      program.kill('SIGTERM');
      const last = setTimeout(() => program.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(last);
    },
  };
}

/**
 * A daemon at work, a guest to play it, and the address of the dashboard. `status` and `play` are more settings of these
 * sections, `files` are put beside the settings, by name.
 */
export async function startDaemon({ bot = 'Sparring', status = '', play = '', files = {} } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'sparring-'));
  const sandbox = start(['sandbox', '--port', '0', '--bot', bot, '--human', 'Guest'], {}, [
    /(http:\/\/127\.0\.0\.1:\d+\/)/, /bot \S+ (\S+)\n/, /human \S+ (\S+)\n/,
  ]);
  const [server, token, guest] = await sandbox.caught;
  const config = join(folder, 'bot.toml');
  await writeFile(config, `[games]\nmax = 16\nper-opponent = 16\n\n[play]\nno-delay = true\n${play}\n[dashboard]\nlisten = "127.0.0.1:0"\n${status}\n[[rule]]\nthen = "accept"\n`);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const env = { LICHESS_TOKEN: token, LICHESS_URL: server, NO_COLOR: '1' };
  const daemon = start(['run'], env, [/dashboard is at (http:\S+\/)/, /(listening for challenges)/], folder);
  const [url] = await daemon.caught;
  const ask = async (method, path, form) => {
    const body = form && new URLSearchParams(form);
    const headers = { Authorization: `Bearer ${guest}` };
    const answer = await fetch(new URL(path, server), { method, headers, ...(body ? { body } : {}) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return {
    url,
    token,
    /** Where its settings lie. */
    folder,
    pid: daemon.pid,
    /** What the guest asks of the server. */
    get: (path) => ask('GET', path),
    post: (path, form = {}) => ask('POST', path, form),
    /** Hold the stream of a game open as the guest, until `left`. */
    async watch(id, left) {
      const headers = { Authorization: `Bearer ${guest}` };
      const { body } = await fetch(new URL(`/api/board/game/stream/${id}`, server), { headers, signal: left });
      void body.pipeTo(new WritableStream()).catch(() => undefined);
    },
    ended: daemon.ended,
    async stop() {
      await daemon.stop();
      await sandbox.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
