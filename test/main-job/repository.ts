import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Root of the checkout under test. */
export const repository: string = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Builds the checkout. Takes a lock, because test files run in parallel and two compilers must not write the same files. */
export async function build(): Promise<void> {
  const lock = join(tmpdir(), `kw-build-${Buffer.from(repository).toString('hex').slice(-24)}`);
  while (!take(lock)) await pause(100);
  try {
    const { status, stdout } = spawnSync(process.execPath, ['scripts/build.mjs'], {
      cwd: repository,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`the checkout does not build:\n${stdout}`);
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function take(lock: string): boolean {
  try {
    mkdirSync(lock);
    writeFileSync(join(lock, 'pid'), String(process.pid));
    return true;
  } catch {
    // Another test file holds the lock, or a killed process left it behind.
    if (holderIsGone(lock)) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function holderIsGone(lock: string): boolean {
  try {
    process.kill(Number(readFileSync(join(lock, 'pid'), 'utf8')), 0);
    return false;
  } catch (error) {
    // ENOENT: the lock is being created.
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
