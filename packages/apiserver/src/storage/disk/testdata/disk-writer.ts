import { writeSync } from 'node:fs';
import { seededRandom, systemClock } from '@kubewright/apimachinery';
import { DiskStorage } from '../disk-storage.ts';

/** Writes random keys to a store until it is killed. Reports every attempt and every acknowledgement on standard output. */
const [directory = '', seed = ''] = process.argv.slice(2);
const random = seededRandom(Number(seed));
const pick = (count: number): number => Math.floor(random.next() * count);
const storage = await DiskStorage.open({ directory, clock: systemClock });
let attempts = 0;

async function write(): Promise<void> {
  const keys = [...new Set(Array.from({ length: 1 + pick(3) }, () => `/r/${pick(40)}`))];
  const id = `${seed}-${attempts++}`;
  const writes: { readonly key: string; readonly expected: number; readonly bytes: Uint8Array | undefined }[] = [];
  for (const key of keys) {
    const expected = (await storage.get(key))?.revision ?? 0;
    const isDelete = expected > 0 && pick(4) === 0;
    const bytes = Buffer.from(JSON.stringify({ id, padding: 'x'.repeat(pick(3000)) }));
    writes.push({ key, expected, bytes: isDelete ? undefined : bytes });
  }
  report({ id, writes: writes.map(({ key, bytes }) => [key, bytes !== undefined]) });
  try {
    const { revision } = await storage.commit(writes);
    report({ id, revision });
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'KW5001') throw error;
    report({ id, revision: 0 });
  }
}

function report(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

await Promise.all(
  Array.from({ length: 8 }, async () => {
    for (;;) await write();
  }),
);
