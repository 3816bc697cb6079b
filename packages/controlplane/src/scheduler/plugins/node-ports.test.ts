import { defined } from '@kubewright/apimachinery/internal';
import { describe, expect, it } from 'vitest';
import { podInfo } from '../cluster/pod-info.ts';
import { testNode, testPending, testPod } from '../testdata/test-view.ts';
import { reconsiders, verdicts } from '../testdata/verdicts.ts';
import { nodePorts } from './node-ports.ts';

type Port = { readonly hostPort: number; readonly hostIP?: string; readonly protocol?: 'TCP' | 'UDP' };

const onPort = (port: Port) => ({ containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80, ...port }] }] });
const taken = "node(s) didn't have free ports for the requested pod ports";

describe('NodePorts', () => {
  it.each<[Port, Port, string]>([
    [{ hostPort: 8080 }, { hostPort: 8080 }, taken],
    [{ hostPort: 8080 }, { hostPort: 8081 }, 'fits'],
    [{ hostPort: 8080 }, { hostPort: 8080, protocol: 'UDP' }, 'fits'],
    [{ hostPort: 8080, hostIP: '127.0.0.1' }, { hostPort: 8080, hostIP: '127.0.0.2' }, 'fits'],
    [{ hostPort: 8080, hostIP: '127.0.0.1' }, { hostPort: 8080, hostIP: '0.0.0.0' }, taken],
    [{ hostPort: 8080 }, { hostPort: 8080, hostIP: '127.0.0.1' }, taken],
  ])('compares a used port %o with a requested port %o', (used, wanted, verdict) => {
    const pods = [testPod('other', { spec: { ...onPort(used), nodeName: 'n' } })];
    const pod = testPending('p', { spec: onPort(wanted) });
    expect(verdicts(nodePorts, pod, { nodes: [testNode('n')], pods })).toEqual({ n: verdict });
  });

  it('counts the ports of restartable init containers, but not of other init containers', () => {
    const [container] = onPort({ hostPort: 8080 }).containers;
    const withInit = (restartPolicy?: 'Always') =>
      testPod('other', {
        spec: {
          nodeName: 'n',
          initContainers: [{ ...container!, name: 'i', ...defined({ restartPolicy }) }],
        },
      });
    const pod = testPending('p', { spec: onPort({ hostPort: 8080 }) });
    const verdict = (other: ReturnType<typeof testPod>) =>
      verdicts(nodePorts, pod, { nodes: [testNode('n')], pods: [other] });
    expect([verdict(withInit('Always')), verdict(withInit())]).toEqual([{ n: taken }, { n: 'fits' }]);
  });

  it('reconsiders a pod when another pod that uses its port is deleted', () => {
    const pod = testPending('p', { spec: onPort({ hostPort: 8080 }) });
    const deleted = (hostPort: number) => {
      const old = podInfo(testPod('other', { spec: { ...onPort({ hostPort }), nodeName: 'n' } }));
      return reconsiders(nodePorts, pod, { resource: 'Pod', action: 'Delete', old });
    };
    expect([deleted(8080), deleted(9090)]).toEqual([true, false]);
  });
});
