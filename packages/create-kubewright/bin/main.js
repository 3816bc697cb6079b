#!/usr/bin/env node
// npm links a program only if its file exists, but a fresh clone has no dist/. So npm links this file, which runs the program in
// dist/ and builds it first if it is missing.
import { existsSync } from 'node:fs';

const program = new URL('../dist/main.js', import.meta.url);
const buildScript = new URL('../../../scripts/build.mjs', import.meta.url);

if (existsSync(program) || (await hasBuilt())) await import(program.href);
else {
  const why = existsSync(buildScript) ? 'the clone is not built, and the build failed' : 'the package is incomplete';
  const remedy = existsSync(buildScript)
    ? 'run npm ci && npm run build in the clone'
    : 'run npm create kubewright@latest';
  process.stderr.write(`create-kubewright cannot start\n  why: ${why}\n  fix: ${remedy}\n`);
  process.exitCode = 3;
}

async function hasBuilt() {
  if (!existsSync(buildScript)) return false;
  try {
    const { build } = await import(buildScript.href);
    return (
      (await build(() => process.stderr.write('create-kubewright: building this clone (first run only) …\n'))) === 0
    );
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    return false;
  }
}
