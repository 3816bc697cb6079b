import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { killWriters } from './testdata/kill-writers.ts';

it('has exactly the written objects after its process is killed 100 times under load', {
  timeout: 600_000,
}, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'kw-crash-'));
  const seed = Math.floor(Math.random() * 1e6);
  try {
    await killWriters(directory, { kills: 100, seed });
  } catch (error) {
    expect.fail(`seed=${seed}: ${String(error)}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
