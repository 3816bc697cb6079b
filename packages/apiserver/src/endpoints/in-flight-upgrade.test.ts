import { expect, it } from 'vitest';
import type { ApiResponse } from '../http/api-request.ts';
import { TestServer } from '../testdata/test-server.ts';

it('limits requests that offer to switch protocols, unless they are streams', async () => {
  const answer: ApiResponse = { status: 200, headers: {}, body: new Uint8Array() };
  let begin = (): void => undefined;
  const started = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let finish = (_: ApiResponse): void => undefined;
  const finished = new Promise<ApiResponse>((resolve) => {
    finish = resolve;
  });
  await using server = await TestServer.start({
    limits: { maxReading: 1, reserved: 0, userShare: 1 },
    nonResourceHandlers: [
      ({ request }) => {
        if (request.path !== '/slow') return undefined;
        begin();
        return finished;
      },
    ],
  });
  server.user = { username: 'jane', groups: ['system:authenticated'] };
  const offer = async (path: string): Promise<number> => {
    const request = server.request('GET', path);
    const upgrade = (): never => {
      throw new Error('not a stream');
    };
    const connection = { ...request.connection, protocol: 'http/1.1' } as const;
    return (await server.server.handle({ ...request, connection, upgrade })).status;
  };
  const slow = offer('/slow');
  await started;
  const configMaps = '/api/v1/namespaces/default/configmaps';
  expect(await offer(configMaps)).toBe(429);
  expect(await offer(`${configMaps}/x/log`)).toBe(404);
  finish(answer);
  expect(await slow).toBe(200);
  expect(await offer(configMaps)).toBe(200);
});
