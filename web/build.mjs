// Bundles the pages into dist/ and refuses to let one grow past its weight.
import { build } from 'esbuild';
import { copyFile, mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

/** Bytes after gzip of everything that a page loads: it must stay quick on a phone. */
const WEIGHT_LIMIT = 60_000;

await rm('dist', { recursive: true, force: true });
await mkdir('dist');
await build({
  entryPoints: { app: 'src/main.ts', dashboard: 'src/dashboard/main.ts', edit: 'src/edit/main.ts' },
  outdir: 'dist',
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['es2022'],
  loader: { '.svg': 'dataurl' },
  legalComments: 'none',
});
for (const name of ['index.html', 'dashboard.html', 'edit.html', 'icon.svg']) await copyFile(`src/${name}`, `dist/${name}`);

const files = await readdir('dist');
for (const [page, parts] of [
  ['index.html', ['index.', 'app.']],
  ['dashboard.html', ['dashboard.']],
  ['edit.html', ['edit.']],
]) {
  let total = 0;
  const isOfPage = (name) => [...parts, 'icon.svg'].some((part) => name.startsWith(part));
  for (const name of files.filter(isOfPage).sort()) {
    const size = gzipSync(await readFile(`dist/${name}`)).length;
    total += size;
    console.log(`${String(size).padStart(7)} bytes gz  dist/${name}`);
  }
  console.log(`${String(total).padStart(7)} bytes gz  for ${page}, limit ${WEIGHT_LIMIT}`);
  if (total > WEIGHT_LIMIT) process.exitCode = 1;
}
