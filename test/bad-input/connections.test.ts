import { connect as connectH2 } from 'node:http2';
import { request } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClusterUnderTest } from './cluster-under-test.ts';

let tested: ClusterUnderTest;
let port: number;

beforeAll(async () => {
  tested = await ClusterUnderTest.start();
  port = Number(new URL(tested.target.url).port);
});

afterAll(async () => {
  expect(tested.faults).toEqual([]);
  expect(await tested.health()).toBeLessThan(100);
  await tested[Symbol.asyncDispose]();
});

function open(): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] };
    const socket = connect({ ...options, ...tested.target.certificate }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Sends raw bytes; returns everything received until the server closes the connection or `until` matches. */
async function raw(text: string | Buffer, until = /\r\n\r\n[\s\S]*$/): Promise<string> {
  const socket = await open();
  return new Promise((resolve) => {
    let answer = '';
    const done = (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (until.test(answer)) done();
    });
    socket.on('error', done);
    socket.on('close', done);
    socket.write(text);
  });
}

async function eventually(check: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await check();
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

const head = (line: string, ...headers: readonly string[]): string =>
  `${[line, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
const maps = '/api/v1/namespaces/default/configmaps';

describe('malformed HTTP/1.1', () => {
  it.each([
    ['a header block of 70 kB', head('GET /livez HTTP/1.1', `X-Bomb: ${'x'.repeat(70_000)}`), 431],
    ['10,000 headers', head('GET /livez HTTP/1.1', ...Array.from({ length: 10_000 }, (_, i) => `X-${i}: 1`)), 431],
    [
      'both a length and chunks',
      `${head(`POST ${maps} HTTP/1.1`, 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      400,
    ],
    ['two lengths', `${head(`POST ${maps} HTTP/1.1`, 'Content-Length: 5', 'Content-Length: 6')}hello!`, 400],
    ['a negative length', head(`POST ${maps} HTTP/1.1`, 'Content-Length: -5'), 400],
    ['no host', 'GET /livez HTTP/1.1\r\n\r\n', 400],
    ['an unknown method', head('STEAL /livez HTTP/1.1'), 400],
    ['no method', 'hello\r\n\r\n', 400],
    ['a header with a line feed', head('GET /livez HTTP/1.1', 'X-A: b\nX-C'), 400],
    ['a NUL in the path', head('GET /api\u0000 HTTP/1.1'), 400],
    ['a bad chunk size', `${head(`POST ${maps} HTTP/1.1`, 'Transfer-Encoding: chunked')}zz\r\n`, 400],
    ['HTTP/9.9', head('GET /livez HTTP/9.9'), 400],
  ] as const)('answers %s with an error and closes the connection', async (_name, text, status) => {
    expect(await raw(text)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('accepts an absolute request target', async () => {
    expect(await raw(head('GET http://evil.example/livez HTTP/1.1', 'Connection: close'))).toMatch(/ 200 | 40[04] /);
  });

  it('does not serve HTTP without TLS', async () => {
    const { connect: plain } = await import('node:net');
    const answer = await new Promise<string>((resolve) => {
      const socket = plain(port, '127.0.0.1', () => socket.write(head('GET /livez HTTP/1.1')));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
      });
      socket.on('error', () => resolve(text));
      socket.on('close', () => resolve(text));
    });
    expect(answer).not.toContain('200');
  });

  it('rejects an endless body as soon as it exceeds the limit', async () => {
    const socket = await open();
    socket.write(head(`POST ${maps} HTTP/1.1`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'));
    const chunk = Buffer.from(`10000\r\n${' '.repeat(65_536)}\r\n`);
    let sent = 0;
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const send = (): void => {
        while (sent < 50e6 && !socket.destroyed && socket.write(chunk)) sent += chunk.length;
      };
      socket.on('drain', send);
      socket.on('data', (data) => {
        text += data.toString('latin1');
        if (text.includes('limit is')) resolve(text);
      });
      socket.on('error', () => resolve(text));
      socket.on('close', () => resolve(text));
      send();
    });
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1.1 413 [\s\S]*"reason":"RequestEntityTooLarge"/);
    expect(sent).toBeLessThan(50e6);
  });
});

describe('misbehaving connections', () => {
  it('serves other clients while 300 connections stay silent', async () => {
    const idle = await Promise.all(Array.from({ length: 300 }, open));
    expect(await tested.health()).toBeLessThan(100);
    for (const socket of idle) socket.destroy();
  });

  it('serves other clients while request bodies never arrive', async () => {
    const slow = await Promise.all(Array.from({ length: 50 }, open));
    for (const socket of slow) socket.write(`${head(`POST ${maps} HTTP/1.1`, 'Content-Length: 100')}{`);
    expect(await tested.health()).toBeLessThan(100);
    for (const socket of slow) socket.destroy();
  });

  it('stays responsive after clients disconnect mid-response', async () => {
    for (let i = 0; i < 50; i++) {
      const socket = await open();
      socket.write(head('GET /openapi/v2 HTTP/1.1'));
      socket.destroy();
    }
    expect(await tested.health()).toBeLessThan(100);
  });

  it('ends watches of clients that disconnect, over HTTP/1.1 and HTTP/2', async () => {
    const before = await watchers();
    const sockets = await Promise.all(Array.from({ length: 100 }, open));
    for (const socket of sockets) socket.write(head(`GET ${maps}?watch=1 HTTP/1.1`));
    const session = connectH2(tested.target.url, { rejectUnauthorized: false, ...tested.target.certificate });
    session.on('error', () => undefined);
    const streams = Array.from({ length: 300 }, () => session.request({ ':path': `${maps}?watch=1` }));
    for (const stream of streams) stream.on('error', () => undefined).resume();
    await eventually(async () => expect(await watchers()).toBe(before + 400));
    for (const stream of streams) stream.close();
    for (const socket of sockets) socket.destroy();
    await eventually(async () => expect(await watchers()).toBe(before));
    session.destroy();
  });

  it('survives 2,000 watches canceled in quick succession on one connection', async () => {
    const session = connectH2(tested.target.url, { rejectUnauthorized: false, ...tested.target.certificate });
    session.on('error', () => undefined);
    for (let i = 0; i < 2_000; i++) {
      const stream = session.request({ ':path': `${maps}?watch=1` });
      stream.on('error', () => undefined);
      stream.close(8);
    }
    expect(await tested.health()).toBeLessThan(100);
    session.destroy();
  });

  it('keeps writes fast while 20 watchers never read', async () => {
    const slow = await Promise.all(Array.from({ length: 20 }, open));
    for (const socket of slow) {
      socket.write(head(`GET ${maps}?watch=1 HTTP/1.1`));
      socket.pause();
    }
    const before = process.memoryUsage.rss();
    for (let i = 0; i < 60; i++) {
      const body = { metadata: { name: `noise-${i}` }, data: { a: 'x'.repeat(100_000) } };
      expect((await tested.send({ method: 'POST', path: maps, body })).status).toBe(201);
    }
    expect(await tested.health()).toBeLessThan(100);
    expect((process.memoryUsage.rss() - before) / 2 ** 20).toBeLessThan(200);
    for (const socket of slow) socket.destroy();
  });
});

/** Returns the number of watches that the server's metrics report. */
async function watchers(): Promise<number> {
  const text = await new Promise<string>((resolve, reject) => {
    const call = request(`${tested.target.url}/metrics`, { rejectUnauthorized: false, ...tested.target.certificate });
    call.on('error', reject);
    call.on('response', async (response) => {
      let all = '';
      for await (const chunk of response) all += chunk;
      resolve(all);
    });
    call.end();
  });
  const lines = text.match(/^apiserver_longrunning_requests\{.*resource="configmaps".*\} (\d+)$/gm) ?? [];
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
