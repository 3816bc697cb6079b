import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../testdata/plane-under-test.ts';

const mebibyte = 1024 * 1024;
const maps = '/api/v1/namespaces/default/configmaps';

describe('a compressed request body', () => {
  let plane: PlaneUnderTest;
  const text = Buffer.concat([Buffer.from('{"metadata":{"name":"a"}}'), Buffer.alloc(64 * mebibyte, ' ')]);
  const bomb = gzipSync(text, { level: 1 });

  beforeAll(async () => {
    plane = await PlaneUnderTest.start();
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  // kube-apiserver also ignores the Content-Encoding of requests.
  it.each(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'])(
    'is not decompressed, so a 64 MiB bomb uses no memory: %s',
    async (type) => {
      const before = process.memoryUsage().arrayBuffers;
      const response = await plane.plane.handle({
        method: 'POST',
        path: maps,
        headers: { authorization: 'Bearer admintoken', 'content-type': type, 'content-encoding': 'gzip' },
        body: bomb,
        signal: new AbortController().signal,
        connection: { remoteAddress: '127.0.0.1', protocol: 'in-process' },
      });
      expect(response.status).toBe(400);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * mebibyte);
    },
  );
});
