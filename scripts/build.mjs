// Builds every package with project references, then bundles them; packages that are up to date are skipped.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { BuildProgress } from './build-progress.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = fileURLToPath(new URL('../node_modules/typescript-7/bin/tsc', import.meta.url));
/** The script that is written last. If it exists, all scripts match the declarations next to them. */
const bundled = fileURLToPath(new URL('../packages/schema/dist/index.js', import.meta.url));

/** Builds out-of-date packages; reports each step in a line of text. Returns the compiler's exit code. */
export async function build(report) {
  const dry = spawnSync(process.execPath, [tsc, '-b', root, '--dry'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: root,
    encoding: 'utf8',
  });
  // Ctrl-C reaches the compiler as well.
  if (dry.signal) return 1;
  if (dry.status === 0 && !/would /.test(dry.stdout) && existsSync(bundled)) return 0;
  const progress = new BuildProgress(dry.stdout, report);
  rmSync(bundled, { force: true });
  const compiled = await compile(progress);
  if (compiled !== 0) return compiled;
  // Loaded only when there is something to bundle, because loading it takes longer than the check.
  const { bundle } = await import('./bundle.mjs');
  progress.bundling();
  await bundle();
  return 0;
}

/** Compiles out-of-date packages; returns the compiler's exit code. */
async function compile(progress) {
  const child = spawn(process.execPath, [tsc, '-b', root, '--verbose'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: root,
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!progress.take(line)) process.stdout.write(`${line}\n`);
  });
  const [status] = await once(child, 'close');
  return status ?? 1;
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) process.exitCode = await build(() => {});
