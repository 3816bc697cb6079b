import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { ApiRequest } from '@kubewright/apiserver';
import { describe, expect, it } from 'vitest';
import { acceptSpdy } from './spdy-upgrade.ts';

describe('acceptSpdy', () => {
  const headers = { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' };
  const requestOn = (stream: PassThrough): ApiRequest =>
    ({ headers, upgrade: () => ({ stream, head: Buffer.alloc(0) }) }) as unknown as ApiRequest; // the only fields that acceptSpdy reads

  it('negotiates a protocol', () => {
    const stream = new PassThrough();
    expect(acceptSpdy(requestOn(stream), ['v4.channel.k8s.io']).protocol).toBe('v4.channel.k8s.io');
    expect(String(stream.read())).toMatch(/^HTTP\/1\.1 101 .*X-Stream-Protocol-Version: v4\.channel\.k8s\.io/s);
  });

  it('fails if the client has disconnected', async () => {
    const stream = new PassThrough();
    stream.destroy();
    await once(stream, 'close');
    expect(() => acceptSpdy(requestOn(stream), ['v4.channel.k8s.io'])).toThrow(
      'the client disconnected before the connection used SPDY',
    );
  });
});
