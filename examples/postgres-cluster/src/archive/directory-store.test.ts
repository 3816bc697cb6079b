import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import * as nodeFiles from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { bundledProgram } from '../../dev/bundled-program.ts';
import { archiveStoreContract } from './archive-store.contract.ts';
import { type DirectoryFiles, DirectoryStore } from './directory-store.ts';

const folders: string[] = [];
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'archive-'));
  folders.push(folder);
  return folder;
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

archiveStoreContract('DirectoryStore', async () => {
  const folder = newFolder();
  return {
    store: new DirectoryStore(folder),
    unreachable: new DirectoryStore(join(folder, 'not', 'mounted')),
    [Symbol.asyncDispose]: async () => undefined,
  };
});

it('DirectoryStore gives the group read and write access, even if the umask forbids it', async () => {
  const folder = newFolder();
  const { signal } = new AbortController();
  // PostgreSQL sets this umask, and its `archive_command` inherits it.
  const umask = process.umask(0o077);
  try {
    await new DirectoryStore(folder).put('db/wal/1', Readable.from(['a segment']), { signal });
  } finally {
    process.umask(umask);
  }
  const modeOf = (path: string) => (statSync(join(folder, path)).mode & 0o777).toString(8);
  expect(['db', 'db/wal', 'db/wal/1'].map(modeOf)).toEqual(['770', '770', '660']);
});

describe('DirectoryStore after a crash', () => {
  const { signal } = new AbortController();
  const name = 'db/wal/000000010000000000000001';
  const content = 'a segment';
  const put = (store: DirectoryStore) => store.put(name, Readable.from([content]), { signal });
  const read = async (store: DirectoryStore) => {
    const stored = await store.get(name, { signal });
    return stored && text(stored);
  };

  it('shows the whole file or nothing, wherever the crash happens', async () => {
    const calls = await callsOf((files) => put(new DirectoryStore(newFolder(), { files })));
    expect(calls).toHaveLength(18);
    // The last call only removes the temporary name, so a crash there does not affect the file.
    const seen = new Set<string | undefined>();
    for (let last = 0; last < calls.length - 1; last++) {
      const folder = newFolder();
      await expect(put(new DirectoryStore(folder, { files: crashAfter(last) }))).rejects.toThrow('crash');
      const store = new DirectoryStore(folder);
      const visible = await read(store);
      seen.add(visible);
      expect([undefined, content]).toContain(visible);
      // PostgreSQL retries the command, because it did not succeed.
      expect(await put(store)).toBe(visible === undefined);
      expect(await read(store)).toBe(content);
    }
    expect(seen).toEqual(new Set([undefined, content]));
  });

  it('flushes the file before it becomes visible, and all its folders before it reports success', async () => {
    const calls = await callsOf((files) => put(new DirectoryStore(newFolder(), { files })));
    const link = calls.indexOf('link');
    expect(calls.indexOf('sync')).toBeLessThan(link);
    // One flush each for the file's folder, its parent, and the root.
    expect(calls.slice(link).filter((call) => call === 'sync')).toHaveLength(3);
  });

  it('does not show a file whose writer was killed', async () => {
    const folder = newFolder();
    using program = await bundledProgram(`
      import { Readable } from 'node:stream';
      import { DirectoryStore } from '#src/archive/directory-store.ts';
      const content = Readable.from((async function* () {
        yield 'first part';
        process.stdout.write('writing');
        await new Promise((resolve) => setTimeout(resolve, 60_000));
      })());
      const { signal } = new AbortController();
      await new DirectoryStore(${JSON.stringify(folder)}).put(${JSON.stringify(name)}, content, { signal });`);
    const writer = spawn(process.execPath, [program.path], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(writer.stdout, 'data');
    const exited = once(writer, 'exit');
    writer.kill('SIGKILL');
    await exited;
    expect(readdirSync(join(folder, '~incoming'))).toHaveLength(1);
    const store = new DirectoryStore(folder);
    expect(await read(store)).toBeUndefined();
    for await (const file of store.list('', { signal })) expect.fail(`lists ${file.name}`);
    expect(await put(store)).toBe(true);
  });

  it('deletes temporary files that a killed writer left more than a day ago', async () => {
    const folder = newFolder();
    const now = new Date('2026-01-02T00:00:00Z');
    mkdirSync(join(folder, '~incoming'));
    for (const [file, time] of [
      ['old', '2025-12-31T23:59:59Z'],
      ['recent', '2026-01-01T00:00:01Z'],
    ] as const) {
      writeFileSync(join(folder, '~incoming', file), 'first part');
      utimesSync(join(folder, '~incoming', file), new Date(time), new Date(time));
    }
    expect(await put(new DirectoryStore(folder, { now: () => now }))).toBe(true);
    expect(readdirSync(join(folder, '~incoming'))).toEqual(['recent']);
  });
});

/** Runs `act`, and returns the file system calls that change the directory, in order. */
async function callsOf(act: (files: DirectoryFiles) => Promise<unknown>): Promise<readonly string[]> {
  const calls: string[] = [];
  await act(observed((call) => calls.push(call)));
  return calls;
}

/** Returns file system functions that fail after `last` calls, as if the process had crashed. */
function crashAfter(last: number): DirectoryFiles {
  let count = 0;
  return observed(() => {
    if (count++ >= last) throw new Error('crash');
  });
}

/** Returns the real file system functions, wrapped to pass their names to `before` first. */
function observed(before: (call: string) => void): DirectoryFiles {
  const call =
    <A extends readonly unknown[], R>(name: string, act: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      before(name);
      return act(...args);
    };
  return {
    link: call('link', nodeFiles.link),
    unlink: call('unlink', nodeFiles.unlink),
    mkdir: call('mkdir', nodeFiles.mkdir) as typeof nodeFiles.mkdir,
    chmod: call('chmod', nodeFiles.chmod),
    async open(...args) {
      before('open');
      const file = await nodeFiles.open(...args);
      const { writeFile, sync } = file;
      file.writeFile = call('write', writeFile.bind(file)) as typeof file.writeFile;
      file.sync = call('sync', sync.bind(file));
      return file;
    },
  };
}
