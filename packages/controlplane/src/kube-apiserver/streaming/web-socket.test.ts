import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { ApiRequest } from '@kubewright/apiserver';
import { describe, expect, it } from 'vitest';
import { acceptWebSocket } from './web-socket.ts';

describe('acceptWebSocket', () => {
  it('fails if the client has disconnected', async () => {
    const stream = new PassThrough();
    stream.destroy();
    await once(stream, 'close');
    const headers = {
      upgrade: 'websocket',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
    };
    const request = {
      headers,
      upgrade: () => ({ stream, head: Buffer.alloc(0), request: { headers, method: 'GET' } }),
    };
    await expect(acceptWebSocket(request as unknown as ApiRequest, [])).rejects.toMatchObject({
      httpStatus: 400,
      message: expect.stringContaining('the client disconnected before the WebSocket was open'),
    });
  });
});
