import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ArchivedFile, ArchiveStore } from './archive-store.ts';

/** A store to test. */
export interface StoreUnderTest extends AsyncDisposable {
  readonly store: ArchiveStore;
  /** A store of the same kind that cannot be reached. */
  readonly unreachable: ArchiveStore;
}

/** Tests that a store fulfills the contract of {@link ArchiveStore}. */
export function archiveStoreContract(name: string, start: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    let tested: StoreUnderTest;
    let store: ArchiveStore;
    const { signal } = new AbortController();
    beforeAll(async () => {
      tested = await start();
      ({ store } = tested);
    });
    afterAll(() => tested?.[Symbol.asyncDispose]());

    const put = (key: string, content: string | Buffer) => store.put(key, Readable.from([content]), { signal });
    const read = async (key: string) => {
      const content = await store.get(key, { signal });
      return content && text(content);
    };
    const names = async (prefix: string) => {
      return (await listed(store, prefix)).map(({ name }) => name);
    };

    it('returns what was stored', async () => {
      expect(await put('one/file', 'content')).toBe(true);
      expect(await read('one/file')).toBe('content');
    });

    it('stores an empty file', async () => {
      expect(await put('empty', '')).toBe(true);
      expect(await read('empty')).toBe('');
    });

    it('does not overwrite an existing file', async () => {
      await put('kept', 'first');
      expect(await put('kept', 'second')).toBe(false);
      expect(await read('kept')).toBe('first');
    });

    it('stores a file that is too large for one S3 request', async () => {
      const part = randomBytes(1024 * 1024);
      const parts = 40;
      const content = Readable.from(
        (function* () {
          for (let index = 0; index < parts; index++) yield part;
        })(),
      );
      expect(await store.put('large', content, { signal })).toBe(true);
      const stored = await store.get('large', { signal });
      if (!stored) throw new Error('the file is missing');
      const bytes = await buffer(stored);
      expect(bytes.length).toBe(parts * part.length);
      expect(bytes.subarray(-part.length).equals(part)).toBe(true);
      expect(await store.put('large', Readable.from([part]), { signal })).toBe(false);
    });

    it('resolves to undefined for a file that does not exist', async () => {
      expect(await read('missing')).toBeUndefined();
      expect(await read('missing/in/folders')).toBeUndefined();
    });

    it('lists names by prefix, in byte order', async () => {
      for (const key of ['list/b', 'list/a/2', 'list/a/1', 'list/a-', 'list/A', 'lists']) await put(key, key);
      expect(await names('list/')).toEqual(['list/A', 'list/a-', 'list/a/1', 'list/a/2', 'list/b']);
      expect(await names('list/a')).toEqual(['list/a-', 'list/a/1', 'list/a/2']);
      expect(await names('nothing')).toEqual([]);
      const [first] = await listed(store, 'list/a/1');
      expect(first).toEqual({ name: 'list/a/1', sizeBytes: 8 });
    });

    it('accepts names with special characters', async () => {
      const key = 'special/00000002.history+a=b_c.d';
      await put(key, 'x');
      expect(await names('special/')).toEqual([key]);
      expect(await read(key)).toBe('x');
    });

    it.each(['', '/a', 'a//b', 'a/../b', './a', 'a/', 'a b', 'ä'])('rejects the name %j', async (key) => {
      await expect(store.get(key, { signal })).rejects.toThrow('invalid name in an archive');
      await expect(store.delete(key, { signal })).rejects.toThrow('invalid name in an archive');
      await expect(put(key, '')).rejects.toThrow('invalid name in an archive');
    });

    it('deletes files', async () => {
      await put('deleted/file', 'content');
      await store.delete('deleted/file', { signal });
      expect(await read('deleted/file')).toBeUndefined();
      expect(await names('deleted/')).toEqual([]);
      await store.delete('deleted/file', { signal });
    });

    it('stores only one of several files that are written concurrently under the same name', async () => {
      const writers = Array.from({ length: 8 }, (_, index) => `writer ${index} `.repeat(10_000));
      const results = await Promise.all(writers.map((content) => put('concurrent', content)));
      expect(results.filter((isStored) => isStored)).toHaveLength(1);
      expect(await read('concurrent')).toBe(writers[results.indexOf(true)]);
    });

    it('does not show a file before it is complete', async () => {
      let end = () => {};
      let startedWriting = () => {};
      const isWriting = new Promise<void>((resolve) => {
        startedWriting = resolve;
      });
      const content = Readable.from(
        (async function* () {
          yield 'first part, ';
          startedWriting();
          await new Promise<void>((resolve) => {
            end = resolve;
          });
          yield 'second part';
        })(),
      );
      const storing = store.put('partial/file', content, { signal });
      await isWriting;
      expect(await read('partial/file')).toBeUndefined();
      expect(await names('partial/')).toEqual([]);
      end();
      expect(await storing).toBe(true);
      expect(await read('partial/file')).toBe('first part, second part');
    });

    it('stores nothing if the content cannot be read', async () => {
      const content = Readable.from(
        (async function* () {
          yield 'first part';
          throw new Error('the disk failed');
        })(),
      );
      await expect(store.put('failed/file', content, { signal })).rejects.toThrow('the disk failed');
      expect(await names('failed/')).toEqual([]);
    });

    it('stores nothing if the write is canceled', async () => {
      const abort = new AbortController();
      const content = Readable.from(
        (async function* () {
          yield 'first part';
          abort.abort(new Error('canceled'));
          yield 'second part';
        })(),
      );
      await expect(store.put('canceled/file', content, { signal: abort.signal })).rejects.toThrow();
      expect(await names('canceled/')).toEqual([]);
    });

    it('does not disturb a write in progress when it cleans up after interrupted writes', async () => {
      const content = Readable.from(
        (async function* () {
          yield 'first part, ';
          await store.deleteInterrupted('', { before: new Date(Date.now() - 3_600_000), signal });
          yield 'second part';
        })(),
      );
      expect(await store.put('uninterrupted/file', content, { signal })).toBe(true);
      expect(await read('uninterrupted/file')).toBe('first part, second part');
    });

    it('reports that an unreachable store is unavailable', async () => {
      const { unreachable } = tested;
      const unavailable = { name: 'ArchiveError', reason: 'Unavailable' };
      await expect(unreachable.put('a', Readable.from(['a']), { signal })).rejects.toMatchObject(unavailable);
      await expect(unreachable.get('a', { signal })).rejects.toMatchObject(unavailable);
      await expect(unreachable.delete('a', { signal })).rejects.toMatchObject(unavailable);
      await expect(unreachable.deleteInterrupted('', { before: new Date(), signal })).rejects.toMatchObject(
        unavailable,
      );
      await expect(listed(unreachable, '')).rejects.toMatchObject(unavailable);
    });
  });
}

async function listed(store: ArchiveStore, prefix: string): Promise<readonly ArchivedFile[]> {
  const files: ArchivedFile[] = [];
  for await (const file of store.list(prefix, { signal: new AbortController().signal })) files.push(file);
  return files;
}
