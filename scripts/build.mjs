// Builds every package with project references; what is current is left alone.
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = fileURLToPath(new URL('../node_modules/typescript-7/bin/tsc', import.meta.url));

function compile(flags, stdio) {
  return spawnSync(process.execPath, [tsc, '-b', root, ...flags], { stdio, cwd: root, encoding: 'utf8' });
}

/** Builds what must be built, after `announce` was called; answers the compiler's exit code. */
export function build(announce) {
  const { status, stdout } = compile(['--dry'], ['ignore', 'pipe', 'inherit']);
  if (status === 0 && !/would /.test(stdout)) return 0;
  // "would update timestamps" compiles nothing.
  if (/would build/.test(stdout)) announce();
  return compile([], 'inherit').status ?? 1;
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) process.exitCode = build(() => {});
