import { describe, expect, it } from 'vitest';
import { differences, formatPath } from './json-difference.ts';

const paths = (before: unknown, after: unknown): readonly string[] =>
  differences(before, after, 16).map(({ steps }) => formatPath(steps));

describe('differences', () => {
  it('reports no difference for a pod that mounts one volume twice', () => {
    const volumeMounts = [
      { name: 'data', mountPath: '/a', subPath: 'a' },
      { name: 'data', mountPath: '/b', subPath: 'b' },
    ];
    const pod = { spec: { containers: [{ name: 'web', volumeMounts }] } };
    expect(paths(pod, structuredClone(pod))).toEqual([]);
  });

  it('matches mounts by path and shows the path', () => {
    const a = { name: 'data', mountPath: '/a', readOnly: true };
    const b = { name: 'data', mountPath: '/b', readOnly: true };
    expect(paths({ mounts: [a, b] }, { mounts: [b, { ...a, readOnly: false }] })).toEqual([
      '.mounts[mountPath=/a].readOnly',
    ]);
    expect(paths({ mounts: [a, b] }, { mounts: [b] })).toEqual(['.mounts[mountPath=/a]']);
  });

  it('distinguishes ports of two protocols', () => {
    const tcp = { port: 53, protocol: 'TCP', nodePort: 1 };
    const udp = { port: 53, protocol: 'UDP', nodePort: 2 };
    expect(paths({ ports: [tcp, udp] }, { ports: [udp, tcp] })).toEqual([]);
    expect(paths({ ports: [tcp, udp] }, { ports: [tcp, { ...udp, nodePort: 3 }] })).toEqual([
      '.ports[port=53,protocol=UDP].nodePort',
    ]);
  });

  it('matches items by position if no key identifies them', () => {
    const twice = [
      { name: 'x', value: 1 },
      { name: 'x', value: 2 },
    ];
    expect(paths({ list: twice }, { list: structuredClone(twice) })).toEqual([]);
    expect(paths({ list: twice }, { list: [twice[0], { name: 'x', value: 3 }] })).toEqual(['.list[1].value']);
    expect(paths({ list: twice }, { list: [...twice, ...twice] })).toEqual(['.list']);
  });
});
