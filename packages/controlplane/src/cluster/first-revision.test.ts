import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@kubewright/apimachinery';
import { MemoryStorage } from '@kubewright/apiserver';
import { afterEach, describe, expect, it } from 'vitest';
import { firstRevision, noteLastRevision } from './first-revision.ts';
import { StateDirectory } from './state-directory.ts';

describe('firstRevision', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kw-revision-'));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('continues after the revisions of the previous cluster, even if that cluster wrote much or was killed', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 10, 21));
    using directory = StateDirectory.take(folder);
    const first = firstRevision(directory, clock);
    await clock.advance(60_000);
    expect(firstRevision(directory, clock)).toBe(first + 600);
    noteLastRevision(directory, first + 1_000_000);
    expect(firstRevision(directory, clock)).toBe(first + 1_000_001);
    expect(first).toBeLessThan(2 ** 30);
  });

  it('rejects watches from a revision of the previous cluster', async () => {
    const clock = new VirtualClock();
    await using storage = new MemoryStorage({ clock, initialRevision: 1_000 });
    const watch = (fromRevision: number) => storage.watch({ prefix: '/', fromRevision }, () => {});
    await expect(watch(999)).rejects.toThrow(/compacted/);
    (await watch(1_000))[Symbol.dispose]();
  });
});
