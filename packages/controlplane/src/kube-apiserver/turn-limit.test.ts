import { systemClock } from '@kubewright/apimachinery';
import { expect, it } from 'vitest';
import { TestControlPlane } from '../controllers/testdata/test-control-plane.ts';

it('lets timers and sockets run while a caller sends requests without pause', async () => {
  await using plane = await TestControlPlane.start();
  let others = false;
  setImmediate(() => setImmediate(() => (others = true)));
  const start = systemClock.monotonic();
  while (!others && systemClock.monotonic() - start < 2_000) {
    await plane.client.request({ method: 'GET', path: '/api/v1/namespaces/default' });
  }
  expect(others).toBe(true);
});
