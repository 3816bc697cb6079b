import { type Container, Pod } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { TestObjects } from '../testdata/pod-bench.ts';
import { containerEnvironment } from './container-env.ts';
import { expandVariables } from './expand.ts';

describe('expandVariables', () => {
  const lookup = (name: string) => ({ A: 'x', B: '$(A)' })[name];

  it.each([
    ['$(A)-$(A)', 'x-x'],
    ['$(UNKNOWN)', '$(UNKNOWN)'],
    ['$$(A)', '$(A)'],
    ['$$$(A)', '$x'],
    ['$A $', '$A $'],
    ['$(B)', '$(A)'],
    ['$(A', '$(A'],
    ['$()', '$()'],
  ])('expands %s to %s', (text, expanded) => {
    expect(expandVariables(text, lookup)).toBe(expanded);
  });
});

describe('containerEnvironment', () => {
  const objects = new TestObjects();
  objects.addConfigMap('settings', { color: 'red', 'not.a.c.name': 'kept' });
  objects.secrets.set('keys', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'keys' },
    data: { password: Buffer.from('hunter2').toString('base64') },
  });
  const place = { podIP: '10.1.2.3', hostIP: '10.0.0.1' };
  const sources = { objects, place, allocatable: { cpu: '4', memory: '8Gi' } };
  const resolve = (container: Partial<Container>) => {
    const whole: Container = { name: 'c', image: 'c', ...container };
    const pod = Pod({
      metadata: { name: 'p', namespace: 'ns', uid: 'u', labels: { app: 'web' } },
      spec: { nodeName: 'n', containers: [whole] },
    });
    return Object.fromEntries(containerEnvironment(pod, whole, sources));
  };

  it('merges all sources; later values override earlier ones', () => {
    expect(
      resolve({
        resources: { limits: { cpu: '1500m' } },
        envFrom: [{ prefix: 'S_', configMapRef: { name: 'settings' } }, { secretRef: { name: 'keys' } }],
        env: [
          { name: 'FIRST', value: 'a' },
          { name: 'SECOND', value: '$(FIRST)$(S_color)$(LATER)' },
          { name: 'LATER', value: 'b' },
          { name: 'password', value: 'over' },
          { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
          { name: 'APP', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
          { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
          { name: 'MEM', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } },
          { name: 'NONE', valueFrom: { secretKeyRef: { name: 'gone', key: 'k', optional: true } } },
        ],
      }),
    ).toEqual({
      S_color: 'red',
      'S_not.a.c.name': 'kept',
      password: 'over',
      FIRST: 'a',
      SECOND: 'ared$(LATER)',
      LATER: 'b',
      IP: '10.1.2.3',
      APP: 'web',
      CPU: '2',
      MEM: '8192',
    });
  });

  it.each([
    [{ secretKeyRef: { name: 'gone', key: 'k' } }, 'secret "gone" not found'],
    [{ secretKeyRef: { name: 'keys', key: 'k' } }, "couldn't find key k in Secret ns/keys"],
    [
      { configMapKeyRef: { name: 'settings', key: '__proto__' } },
      "couldn't find key __proto__ in ConfigMap ns/settings",
    ],
  ])('reports what is missing for %j', (valueFrom, message) => {
    expect(() => resolve({ env: [{ name: 'X', valueFrom }] })).toThrow(message);
  });
});
