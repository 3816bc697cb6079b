// Checks types everywhere, including tests: packages as libraries (their declarations must stand alone), and examples
// as users' programs (which need no unusual flags).
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = fileURLToPath(new URL('../node_modules/typescript-7/bin/tsc', import.meta.url));
for (const project of ['tsconfig.check.json', 'tsconfig.examples.json']) {
  const { status } = spawnSync(process.execPath, [tsc, '-p', project], { stdio: 'inherit', cwd: root });
  if (status !== 0) process.exitCode = 1;
}
