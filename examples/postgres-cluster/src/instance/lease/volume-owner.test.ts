import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { VolumeOwner } from './volume-owner.ts';

it('a volume belongs to the pod that claimed it last', async () => {
  const volume = await mkdtemp(join(tmpdir(), 'volume-owner-'));
  try {
    const before = new VolumeOwner(volume, 'uid-1');
    await before.claim();
    expect(await before.isOwner()).toBe(true);
    const after = new VolumeOwner(volume, 'uid-2');
    await after.claim();
    expect([await before.isOwner(), await after.isOwner()]).toEqual([false, true]);
  } finally {
    await rm(volume, { recursive: true });
  }
});
