import type { Node, Pod, PodSpec } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { chooseNode } from './choose-node.ts';
import { nodeInfo } from './node-info.ts';

function node(name: string, more: { spec?: Node['spec']; labels?: Record<string, string>; cpu?: string } = {}): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: more.labels ?? {} },
    spec: more.spec ?? {},
    status: { allocatable: { cpu: more.cpu ?? '4', memory: '8Gi', pods: '110' } },
  };
}
function pod(spec: Partial<PodSpec> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'd' },
    spec: { containers: [{ name: 'c' }], ...spec },
  };
}
const requests = (cpu: string): Partial<PodSpec> => ({ containers: [{ name: 'c', resources: { requests: { cpu } } }] });
const infos = (...nodes: Node[]) => nodes.map((each) => nodeInfo(each, []));

describe('chooseNode', () => {
  it('reports that there are no nodes', () => {
    expect(chooseNode(pod(), [])).toEqual({ unschedulable: 'no nodes available to schedule pods' });
  });

  it('summarizes the reasons of all nodes in one message', () => {
    const nodes = infos(
      node('cordoned', { spec: { unschedulable: true } }),
      node('small', { cpu: '1' }),
      node('tainted', { spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] } }),
    );
    expect(chooseNode(pod(requests('2')), nodes)).toEqual({
      unschedulable:
        '0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
    });
  });

  it('admits a pod with a toleration that matches by key, value and effect', () => {
    const nodes = infos(node('n', { spec: { taints: [{ key: 'k', value: 'v', effect: 'NoExecute' }] } }));
    const tolerating = (value: string) => pod({ tolerations: [{ key: 'k', value, effect: 'NoExecute' }] });
    expect(chooseNode(tolerating('v'), nodes)).toEqual({ nodeName: 'n' });
    expect(chooseNode(tolerating('w'), nodes)).toHaveProperty('unschedulable');
  });

  it('counts the requests of pods on a node, except finished ones', () => {
    const taken: Pod = { ...pod(requests('3')), spec: { containers: [], ...requests('3'), nodeName: 'n' } };
    const ended: Pod = { ...taken, status: { phase: 'Succeeded' } };
    expect(chooseNode(pod(requests('2')), [nodeInfo(node('n'), [taken])])).toHaveProperty('unschedulable');
    expect(chooseNode(pod(requests('2')), [nodeInfo(node('n'), [ended])])).toEqual({ nodeName: 'n' });
  });

  it('rejects a host port that is in use, including through 0.0.0.0', () => {
    const onPort = (hostIP: string): Partial<PodSpec> => ({
      containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort: 8080, hostIP }] }],
    });
    const busy = [nodeInfo(node('n'), [pod(onPort('127.0.0.1'))])];
    expect(chooseNode(pod(onPort('0.0.0.0')), busy)).toHaveProperty('unschedulable');
    expect(chooseNode(pod(onPort('127.0.0.2')), busy)).toEqual({ nodeName: 'n' });
  });

  it('honors nodeSelector and preferred affinity', () => {
    const nodes = infos(node('a', { labels: { disk: 'hdd' } }), node('b', { labels: { disk: 'ssd' } }));
    expect(chooseNode(pod({ nodeSelector: { disk: 'ssd' } }), nodes)).toEqual({ nodeName: 'b' });
    const matchExpressions = [{ key: 'disk', operator: 'In' as const, values: ['ssd'] }];
    const preferred = { weight: 50, preference: { matchExpressions } };
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [preferred] } };
    expect(chooseNode(pod({ affinity }), nodes)).toEqual({ nodeName: 'b' });
  });

  it('prefers the node with more free resources', () => {
    const busy = nodeInfo(node('a'), [pod(requests('2'))]);
    expect(chooseNode(pod(requests('1')), [busy, nodeInfo(node('b'), [])])).toEqual({ nodeName: 'b' });
  });

  it('spreads pods that have no requests', () => {
    const on = (nodeName: string): Pod => pod({ nodeName });
    const nodes = [nodeInfo(node('a'), [on('a')]), nodeInfo(node('b'), [])];
    expect(chooseNode(pod(), nodes)).toEqual({ nodeName: 'b' });
  });
});
