// `npm run check`: all checks that do not run the code. Each step is one tool; lines that start with FAIL name the failed steps.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const node = (...args) => ({ command: process.execPath, args });
const bin = (path, ...args) => node(fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url)), ...args);

const steps = {
  'format and lint': bin(
    '@biomejs/biome/bin/biome',
    'ci',
    '--colors=off',
    '--reporter=summary',
    '--error-on-warnings',
    '.',
  ),
  types: node('scripts/typecheck.mjs'),
  'lint with types': bin('eslint/bin/eslint.js', 'packages', 'examples'),
  boundaries: node('scripts/check-boundaries.mjs'),
  seams: node('scripts/check-seams.mjs'),
  'error codes': node('scripts/check-error-codes.mjs'),
  conventions: node('scripts/check-conventions.mjs'),
  prose: node('scripts/check-prose.mjs'),
  'dead code': bin('knip/bin/knip.js'),
  'public surface': node('scripts/api-report.mjs', '--check'),
  'size of the surface': node('scripts/check-surface.mjs'),
  'examples of exports': node('scripts/check-examples.mjs'),
  'lines of examples': node('scripts/check-example-lines.mjs'),
  pictures: node('scripts/draw-pictures.mjs', '--check'),
  'generated error codes': node('scripts/generate-error-codes.mjs', '--check'),
  'generated tables': node('scripts/generate-builtin.mjs', '--check'),
  'generated bootstrap objects': node('scripts/generate-bootstrap.mjs', '--check'),
};

/** Steps whose output is printed even if they pass. */
const reported = new Set(['size of the surface', 'examples of exports', 'lines of examples']);

let failed = 0;
for (const [name, { command, args }] of Object.entries(steps)) {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
  if (status === 0 && reported.has(name)) console.log(`     ${stdout.trimEnd()}`);
  if (status !== 0) {
    failed++;
    console.log(stdout + stderr);
  }
}
console.log(failed === 0 ? 'check: all passed' : `check: ${failed} of ${Object.keys(steps).length} failed`);
process.exitCode = failed === 0 ? 0 : 1;
