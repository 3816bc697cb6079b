import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@kubewright/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalLogStore } from './local-log-store.ts';
import { type ReadLogOptions, readLog } from './read-log.ts';

describe('LocalLogStore', () => {
  let folder: string;
  const clock = new VirtualClock();
  const key = { podUid: 'u', container: 'c', attempt: 0 };
  const never = new AbortController().signal;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kw-logs-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function read(store: LocalLogStore, options: Partial<ReadLogOptions> = {}): Promise<string> {
    const log = store.find(key);
    if (!log) throw new Error('no log');
    let text = '';
    const all = { follow: false, timestamps: false, signal: never, clock, ...options };
    for await (const piece of readLog(log, all)) text += Buffer.from(piece).toString('utf8');
    return text;
  }

  it.each(['file', 'memory'])('stores lines in CRI format in a %s', async (where) => {
    const store = new LocalLogStore({ clock });
    const log = store.open(key, where === 'file' ? folder : undefined);
    log.write('stdout', Buffer.from('one\ntw'));
    log.write('stderr', Buffer.from('oops\n'));
    log.write('stdout', Buffer.from('o\nrest'));
    log.close();
    expect(await read(store)).toBe('one\noops\ntwo\nrest');
    expect(await read(store, { tailLines: 0 })).toBe('');
    expect(await read(store, { tailLines: 2 })).toBe('two\nrest');
    expect(await read(store, { tailLines: 99 })).toBe('one\noops\ntwo\nrest');
    expect(await read(store, { limitBytes: 5 })).toBe('one\no');
    expect(await read(store, { timestamps: true, tailLines: 1 })).toBe('2026-01-01T00:00:00.000000000Z rest');
    if (where === 'file') {
      const file = join(folder, '.l', 'c', '0.log');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readFileSync(file, 'utf8').split('\n')[1]).toBe('2026-01-01T00:00:00.000000000Z stderr F oops');
    }
  });

  it('keeps two files of the newest lines and reads across them', async () => {
    const store = new LocalLogStore({ clock, fileBytes: 1_000 });
    const log = store.open(key, folder);
    for (let i = 0; i < 100; i++) log.write('stdout', Buffer.from(`line ${i}\n`));
    const lines = (await read(store)).trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(15);
    expect(lines.length).toBeLessThan(45);
    expect(lines.at(-1)).toBe('line 99');
    expect((await read(store, { tailLines: 25 })).split('\n')[0]).toBe('line 75');
  });

  it('follows until the log is closed', async () => {
    const store = new LocalLogStore({ clock });
    const log = store.open(key, folder);
    log.write('stdout', Buffer.from('one\n'));
    const all = read(store, { follow: true });
    await Promise.resolve();
    log.write('stdout', Buffer.from('two\n'));
    log.close();
    expect(await all).toBe('one\ntwo\n');
  });

  it('shows only lines newer than a time', async () => {
    const store = new LocalLogStore({ clock });
    const log = store.open(key, folder);
    log.write('stdout', Buffer.from('old\n'));
    await clock.advance(60_000);
    log.write('stdout', Buffer.from('new\n'));
    expect(await read(store, { sinceSeconds: 30 })).toBe('new\n');
    expect(await read(store, { sinceTime: '2026-01-01T00:00:01Z' })).toBe('new\n');
  });
});
