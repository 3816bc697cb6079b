import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { build } from 'esbuild';
import { expect } from 'vitest';
import { DiskStorage } from '../disk-storage.ts';

interface Attempt {
  readonly id: string;
  readonly writes: readonly (readonly [key: string, isPut: boolean])[];
  /** Revision of the acknowledged commit; 0 if it was rejected, undefined if the writer was killed before either. */
  revision?: number;
}

/** Runs a writer several times, kills it at a random moment, and compares the store with what the writer reported. */
export async function killWriters(directory: string, options: { readonly kills: number; readonly seed: number }): Promise<void> {
  const { kills, seed } = options;
  const random = seededRandom(seed);
  // Below node_modules, where the bundle finds the database library.
  const folder = fileURLToPath(new URL(`../../../../../../node_modules/.kw-disk-${process.pid}-${seed}`, import.meta.url));
  mkdirSync(folder, { recursive: true });
  try {
    const program = join(folder, 'writer.mjs');
    const entry = fileURLToPath(new URL('disk-writer.ts', import.meta.url));
    const conditions = ['kubewright-source'];
    await build({ entryPoints: [entry], outfile: program, bundle: true, platform: 'node', format: 'esm', conditions });
    const state = new Map<string, { readonly revision: number; readonly id: string | undefined }>();
    for (let kill = 0; kill < kills; kill++) {
      const attempts = await runUntilKilled([program, directory, `${seed + kill}`], 50 + random.next() * 300);
      await compare(directory, { state, attempts });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runUntilKilled(args: readonly string[], afterMs: number): Promise<readonly Attempt[]> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    if (text === '') setTimeout(() => child.kill('SIGKILL'), afterMs);
    text += chunk;
  });
  await new Promise((resolve) => child.once('close', resolve));
  const attempts = new Map<string, Attempt>();
  for (const line of text.split('\n').slice(0, -1)) {
    const { id, writes, revision } = JSON.parse(line) as Attempt;
    const known = attempts.get(id);
    if (known && revision !== undefined) known.revision = revision;
    else attempts.set(id, { id, writes });
  }
  expect(attempts.size).toBeGreaterThan(0);
  return [...attempts.values()];
}

async function compare(
  directory: string,
  run: {
    /** The values before the run, updated to the values after it. */
    readonly state: Map<string, { readonly revision: number; readonly id: string | undefined }>;
    readonly attempts: readonly Attempt[];
  },
): Promise<void> {
  const { state, attempts } = run;
  for (const { id, writes, revision = 0 } of attempts) {
    for (const [key, isPut] of writes) {
      if (revision > (state.get(key)?.revision ?? 0)) state.set(key, { revision, id: isPut ? id : undefined });
    }
  }
  const newest = Math.max(0, ...[...state.values()].map(({ revision }) => revision));
  await using storage = await DiskStorage.open({ directory, clock: new VirtualClock() });
  expect(await storage.revision()).toBeGreaterThanOrEqual(newest);
  const found = new Map<string, { readonly revision: number; readonly id: string }>();
  for (const { key, revision, bytes } of (await storage.list({ prefix: '/' })).objects) {
    found.set(key, { revision, id: JSON.parse(Buffer.from(bytes).toString()).id });
  }
  // A commit without an acknowledgement is stored completely or not at all.
  const open = attempts.filter(({ revision }) => revision === undefined);
  for (const { id, writes } of open) {
    const at = new Set(writes.filter(([, isPut]) => isPut).map(([key]) => found.get(key)).filter((one) => one?.id === id).map((one) => one?.revision));
    expect(at.size).toBeLessThanOrEqual(1);
  }
  for (const key of new Set([...state.keys(), ...found.keys()])) {
    const [expected, actual] = [state.get(key), found.get(key)];
    if (actual?.id === expected?.id && (actual === undefined || actual.revision === expected?.revision)) continue;
    const candidates = open.filter(({ writes }) => writes.some(([name, isPut]) => name === key && isPut === (actual !== undefined)));
    expect(actual === undefined ? candidates.length > 0 : candidates.some(({ id }) => id === actual.id), `${key}: ${JSON.stringify({ expected, actual })}`).toBe(true);
    expect(actual?.revision ?? Number.MAX_SAFE_INTEGER).toBeGreaterThan(expected?.revision ?? 0);
    state.set(key, { revision: actual?.revision ?? (await storage.revision()), id: actual?.id });
  }
}
