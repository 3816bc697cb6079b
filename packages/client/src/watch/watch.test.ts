import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigMapKind, configMap, failure, json, scripted } from '../testdata/scripted-server.ts';
import { LineSplitter } from './line-splitter.ts';
import type { WatchEvent } from './watch-event.ts';

describe('LineSplitter', () => {
  it('returns the same lines however the bytes are split', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.array(fc.integer({ min: 1, max: 9 })), (texts, cuts) => {
        const lines = texts.map((text) => text.replaceAll('\n', ' ')).filter((text) => text !== '');
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const got: string[] = [];
        const splitter = splitterInto(got);
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = cuts[i % cuts.length] ?? 3;
          splitter.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(got).toEqual(lines.map((line) => Buffer.from(line).toString()));
        expect(splitter.pendingBytes).toBe(0);
      }),
      { verbose: 1 },
    );
  });

  it('rejects a line longer than the limit, in one chunk or in several', () => {
    expect(() => splitterInto([], 10).push(Buffer.from('12345678901\n'))).toThrow('longer than 10 bytes');
    const splitter = splitterInto([], 10);
    splitter.push(Buffer.from('123456'));
    expect(() => splitter.push(Buffer.from('78901'))).toThrow('longer than 10 bytes');
    const fits: string[] = [];
    splitterInto(fits, 10).push(Buffer.from('1234567890\nabc\n'));
    expect(fits).toEqual(['1234567890', 'abc']);
  });

  it('keeps no reference to a chunk, because the transport may reuse it', () => {
    const got: string[] = [];
    const splitter = splitterInto(got);
    const chunk = Buffer.from('abc');
    splitter.push(chunk);
    chunk.fill('x');
    splitter.push(Buffer.from('def\n'));
    expect(got).toEqual(['abcdef']);
  });

  function splitterInto(lines: string[], maxLineBytes?: number): LineSplitter {
    return new LineSplitter({
      onLine: (bytes, start, end) => lines.push(bytes.toString('utf8', start, end)),
      tooLong: (limit) => new Error(`longer than ${limit} bytes`),
      maxLineBytes,
    });
  }
});

describe('ResourceClient.watch', () => {
  const event = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
  const stream = (...chunks: string[]) =>
    scripted(() => ({
      status: 200,
      headers: {},
      body: (async function* () {
        for (const chunk of chunks) yield Buffer.from(chunk);
      })(),
    }));

  async function collect(watch: AsyncIterable<WatchEvent<unknown>>): Promise<{ events: string[]; error: unknown }> {
    const events: string[] = [];
    try {
      for await (const each of watch) {
        events.push(
          each.type === 'ERROR'
            ? `ERROR ${each.error.reason}`
            : `${each.type} ${(each.object as { metadata: { name?: string } }).metadata.name ?? ''}`,
        );
      }
    } catch (error) {
      return { events, error };
    }
    return { events, error: undefined };
  }

  it('yields events in order, and ends with the stream', async () => {
    const { client, seen } = stream(
      event('ADDED', configMap('a')) + event('MODIFIED', configMap('a')).slice(0, 30),
      event('MODIFIED', configMap('a')).slice(30),
      event('BOOKMARK', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '9' } }),
      event('DELETED', configMap('\u2028')),
    );
    const watch = client
      .resource(ConfigMapKind)
      .watch({ namespace: 'shop', resourceVersion: '5', timeoutSeconds: 300 });
    expect(await collect(watch)).toEqual({
      events: ['ADDED a', 'MODIFIED a', 'BOOKMARK ', 'DELETED \u2028'],
      error: undefined,
    });
    expect(seen[0]?.path).toBe(
      '/api/v1/namespaces/shop/configmaps?watch=true&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=300',
    );
  });

  it('yields an ERROR event with a StatusError', async () => {
    const { client } = stream(event('ERROR', failure(410, 'Expired')));
    expect(await collect(client.resource(ConfigMapKind).watch())).toEqual({
      events: ['ERROR Expired'],
      error: undefined,
    });
  });

  it('throws the error response if the watch is rejected', async () => {
    const { client } = scripted(() => json(failure(410, 'Expired'), 410));
    expect(await collect(client.resource(ConfigMapKind).watch())).toMatchObject({
      events: [],
      error: { reason: 'Expired' },
    });
  });

  for (const [name, bad] of [
    ['text', 'oops\n'],
    ['an unknown type', '{"type":"MOVED","object":{}}\n'],
    ['no object', '{"type":"ADDED"}\n'],
    ['null', 'null\n'],
  ] as const) {
    it(`yields the events before ${name}, then throws`, async () => {
      const { client } = stream(event('ADDED', configMap('a')) + bad + event('ADDED', configMap('b')));
      expect(await collect(client.resource(ConfigMapKind).watch())).toMatchObject({
        events: ['ADDED a'],
        error: { code: 'KW2006' },
      });
    });
  }

  it('throws if the stream ends inside an event', async () => {
    const { client } = stream(event('ADDED', configMap('a')), '{"type":"ADDED"');
    expect(await collect(client.resource(ConfigMapKind).watch())).toMatchObject({
      events: ['ADDED a'],
      error: { code: 'KW2006', retryable: true },
    });
  });

  it('resets the stream when canceled while an event is awaited', async () => {
    let ended = false;
    const { client } = scripted((_, { signal }) => ({
      status: 200,
      headers: {},
      body: (async function* () {
        yield Buffer.from(event('ADDED', configMap('a')));
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        ended = true;
      })(),
    }));
    const watch = client.resource(ConfigMapKind).watch()[Symbol.asyncIterator]();
    await watch.next();
    const pending = watch.next();
    await watch.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(ended).toBe(true);
  });

  it('throws the reason of its signal', async () => {
    const abort = new AbortController();
    const { client } = scripted(() => ({
      status: 200,
      headers: {},
      body: (async function* () {
        yield Buffer.from(event('ADDED', configMap('a')));
        await new Promise(() => {});
      })(),
    }));
    const watch = client.resource(ConfigMapKind).watch({ signal: abort.signal })[Symbol.asyncIterator]();
    await watch.next();
    const pending = expect(watch.next()).rejects.toThrow('enough');
    abort.abort(new Error('enough'));
    await pending;
  });

  it('requests the current state first if configured', async () => {
    const { client, seen } = stream();
    await collect(client.resource(ConfigMapKind).watch({ sendInitialEvents: true }));
    expect(seen[0]?.path).toContain('resourceVersionMatch=NotOlderThan&sendInitialEvents=true');
  });
});
