import { Service } from '@kubewright/apimachinery/core/v1';
import { reconcileOnce } from '@kubewright/testing';
import { describe, expect, it } from 'vitest';
import { Redis } from './api/v1alpha1/redis.ts';
import { redis } from './redis.ts';

const crd = new URL('../config/crd/bases/cache.acme.io_redis.yaml', import.meta.url).pathname;

describe('the first reconcile of a Redis', () => {
  it('creates the servers and the Services, and looks for running servers soon', async () => {
    const cache = Redis({ metadata: { name: 'cache', namespace: 'default' }, spec: { size: 2 } });
    const { writes, status, result, client } = await reconcileOnce(redis, { objects: [cache], manifests: [crd] });
    expect(writes.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'Service cache',
      'Service cache-servers',
      'StatefulSet cache',
      'Redis cache',
    ]);
    expect(status).toMatchObject({ replicas: 0 });
    expect(result.requeueAfterMs).toBe(500);
    const { spec } = await client.resource(Service).get({ namespace: 'default', name: 'cache' });
    expect(spec?.selector).toMatchObject({ 'statefulset.kubernetes.io/pod-name': 'cache-0' });
  });
});
