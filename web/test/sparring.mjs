// The real program under test: `sparring play` on a free port, with its sandbox and its bot.
import { spawn } from 'node:child_process';

const BIN = process.env.SPARRING_BIN ?? '../target/debug/sparring';
const START_LIMIT_MS = 20_000;

/**
 * Start the program (or use the one at SPARRING_URL) and give the address that it prints, its key included, and a function
 * that ends it.
 */
export async function startSparring({ port = 0 } = {}) {
  if (process.env.SPARRING_URL) return { url: process.env.SPARRING_URL, stop: async () => undefined };
  const program = spawn(BIN, ['play', '--port', String(port)], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => program.once('exit', resolve));
  let said = '';
  const url = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${BIN} printed no address within 20 s:\n${said}`)), START_LIMIT_MS);
    const listen = (chunk) => {
      said += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+\/#key=\w+(?=\s)/.exec(said);
      if (found) resolve(found[0]);
      if (found) clearTimeout(timer);
    };
    program.stdout.on('data', listen);
    program.stderr.on('data', listen);
    program.once('error', reject);
    ended.then((code) => reject(new Error(`${BIN} ended with ${code}:\n${said}`)));
  });
  return {
    url,
    async stop() {
      program.kill('SIGTERM');
      const last = setTimeout(() => program.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(last);
    },
  };
}
