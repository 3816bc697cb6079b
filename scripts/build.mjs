// Builds every package with project references; what is current is left alone.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = fileURLToPath(new URL('../node_modules/typescript-7/bin/tsc', import.meta.url));
const { status } = spawnSync(process.execPath, [tsc, '-b', root], { stdio: 'inherit', cwd: root });
process.exitCode = status ?? 1;
