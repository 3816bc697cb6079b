import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MarkedProcesses } from './marked-processes.ts';
import { ProcessJournal } from './process-journal.ts';

describe('ProcessJournal', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kw-journal-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('reports a failed write and catches up with the next one', () => {
    const faults: unknown[] = [];
    const path = join(folder, 'state', 'processes.json');
    const marked = new MarkedProcesses({ read: async () => [], readNow: () => [], has: () => false });
    const instance = 'f'.repeat(32);
    const journal = new ProcessJournal(path, { instance, marked, onFault: (error) => faults.push(error) });
    journal.add(process.pid);
    expect(faults).toMatchObject([{ code: 'ENOENT' }]);
    renameSync(mkdtempSync(join(folder, 'new-')), join(folder, 'state'));
    journal.add(process.ppid);
    expect(faults).toHaveLength(1);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      instance,
      processes: [{ pid: process.pid }, { pid: process.ppid }],
    });
    journal.remove(process.pid);
    journal.remove(process.ppid);
  });
});
