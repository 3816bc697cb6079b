// Builds every package with project references, then bundles them; packages that are up to date are skipped.
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = fileURLToPath(new URL('../node_modules/typescript-7/bin/tsc', import.meta.url));
/** The script that is written last. If it exists, all scripts match the declarations next to them. */
const bundled = fileURLToPath(new URL('../packages/schema/dist/index.js', import.meta.url));

function compile(flags, stdio) {
  return spawnSync(process.execPath, [tsc, '-b', root, ...flags], { stdio, cwd: root, encoding: 'utf8' });
}

/** Builds out-of-date packages after calling `announce`; returns the compiler's exit code. */
export async function build(announce) {
  const { status, stdout, signal } = compile(['--dry'], ['ignore', 'pipe', 'inherit']);
  // Ctrl-C reaches the compiler as well.
  if (signal) return 1;
  if (status === 0 && !/would /.test(stdout) && existsSync(bundled)) return 0;
  // Does not announce updates of timestamps, because nothing is compiled.
  if (/would build/.test(stdout) || !existsSync(bundled)) announce();
  rmSync(bundled, { force: true });
  const compiled = compile([], 'inherit').status ?? 1;
  if (compiled !== 0) return compiled;
  // Loaded only when there is something to bundle, because loading it takes longer than the check.
  const { bundle } = await import('./bundle.mjs');
  await bundle();
  return 0;
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) process.exitCode = await build(() => {});
