import * as fs from 'node:fs';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noSmallDisk, smallDisk } from '../testdata/small-disk.ts';
import type { LogFiles } from './file-log.ts';
import { LocalLogStore } from './local-log-store.ts';
import { readLog } from './read-log.ts';

/** A file system whose operations fail on demand. */
class FaultyFiles {
  /** Error code of every write and open; `undefined` if they succeed. */
  code: string | undefined;
  /** Number of bytes that a failing write still accepts. */
  accepts = 0;
  readonly files: LogFiles = {
    ...fs,
    openSync: ((...args: Parameters<typeof fs.openSync>) => {
      if (this.code) throw this.#error('open');
      return fs.openSync(...args);
    }) as typeof fs.openSync,
    writeSync: ((file: number, bytes: Uint8Array, at: number) => {
      if (!this.code) return fs.writeSync(file, bytes, at);
      if (this.accepts === 0) throw this.#error('write');
      const length = Math.min(this.accepts, bytes.length - at);
      this.accepts -= length;
      return fs.writeSync(file, bytes, at, length);
    }) as typeof fs.writeSync,
  };

  #error(syscall: string): Error {
    return Object.assign(new Error(`${this.code}: no luck, ${syscall}`), { code: this.code });
  }
}

describe('a log that cannot be written', () => {
  let folder: string;
  const clock = new VirtualClock();
  const key = { podUid: 'u', container: 'c', attempt: 0 };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kw-logs-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const storeOf = (files?: LogFiles, fileBytes?: number) => {
    const seen: string[] = [];
    const store = new LocalLogStore({
      clock,
      ...defined({ files, fileBytes }),
      onDropping: (_key, error) => seen.push(`dropping: ${(error as NodeJS.ErrnoException).code}`),
      onDropped: (_key, lines) => seen.push(`dropped: ${lines}`),
    });
    return { store, seen, log: store.open(key, folder) };
  };
  const read = async (store: LocalLogStore): Promise<string> => {
    const log = store.find(key);
    if (!log) throw new Error('no log');
    let text = '';
    const all = { follow: false, timestamps: false, signal: new AbortController().signal, clock };
    for await (const piece of readLog(log, all)) text += Buffer.from(piece).toString('utf8');
    return text;
  };
  const line = (text: string): Uint8Array => Buffer.from(`${text}\n`);

  it.each(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS'])(
    'drops lines on %s, counts them, and notes them in the log afterwards',
    async (code) => {
      const disk = new FaultyFiles();
      const { store, seen, log } = storeOf(disk.files);
      log.write('stdout', line('one'));
      disk.code = code;
      log.write('stdout', Buffer.from('two\nthree\n'));
      log.write('stderr', line('four'));
      disk.code = undefined;
      log.write('stdout', line('five'));
      log.close();
      expect(await read(store)).toBe(
        `one\n[kubewright] 3 lines were dropped here: cannot write the log: ${code}: no luck, write\nfive\n`,
      );
      expect(seen).toEqual([`dropping: ${code}`, 'dropped: 3']);
    },
  );

  it('shows no part of a truncated line', async () => {
    const disk = new FaultyFiles();
    const { store, log } = storeOf(disk.files);
    log.write('stdout', line('one'));
    Object.assign(disk, { code: 'ENOSPC', accepts: 20 });
    log.write('stdout', line('two'));
    expect(await read(store)).toBe('one\n');
    disk.code = undefined;
    log.write('stdout', line('three'));
    expect(await read(store)).toMatch(/^one\n\[kubewright\] 1 line was dropped here: .*\nthree\n$/);
  });

  it.each(['ENOSPC', 'EMFILE', 'EACCES'])('opens its file later if it cannot be opened at first: %s', async (code) => {
    const disk = new FaultyFiles();
    disk.code = code;
    const { store, seen, log } = storeOf(disk.files);
    log.write('stdout', line('one'));
    expect(await read(store)).toBe('');
    disk.code = undefined;
    log.write('stdout', line('two'));
    expect(await read(store)).toMatch(/1 line was dropped here: .*\ntwo\n$/);
    expect(seen).toEqual([`dropping: ${code}`, 'dropped: 1']);
  });

  it('exceeds its size limit while the next file cannot be opened', async () => {
    const disk = new FaultyFiles();
    const { store, log } = storeOf({ ...disk.files, writeSync: fs.writeSync }, 200);
    log.write('stdout', line('first'));
    disk.code = 'EMFILE';
    for (let i = 0; i < 9; i++) log.write('stdout', line(`line ${i}`));
    disk.code = undefined;
    log.write('stdout', line('last'));
    expect(await read(store)).toMatch(/^first\nline 0\n.*line 8\nlast\n$/s);
  });

  it('reports on close the lines that were never written', () => {
    const disk = new FaultyFiles();
    const { store, seen, log } = storeOf(disk.files);
    disk.code = 'ENOSPC';
    log.write('stdout', Buffer.from('one\nhalf'));
    log.close();
    store.removePod('u');
    expect(seen).toEqual(['dropping: ENOSPC', 'dropped: 2']);
  });

  it('recovers on a real disk that was full', async (context) => {
    using disk = smallDisk('256k');
    if (!disk) return context.skip(noSmallDisk);
    const seen: string[] = [];
    const store = new LocalLogStore({ clock, onDropping: (_key, error) => seen.push(String(error)) });
    const log = store.open(key, disk.folder);
    log.write('stdout', line('one'));
    const ballast = join(disk.folder, 'ballast');
    expect(() => writeFileSync(ballast, Buffer.alloc(1_000_000))).toThrow('ENOSPC');
    for (let i = 0; i < 1_000; i++) log.write('stdout', line('x'.repeat(1_000)));
    expect(seen).toEqual([expect.stringContaining('ENOSPC')]);
    rmSync(ballast);
    log.write('stdout', line('last'));
    log.close();
    expect(await read(store)).toMatch(/\n\[kubewright\] \d+ lines were dropped here: .*ENOSPC.*\nlast\n$/);
    store.removePod('u');
    return undefined;
  });
});
