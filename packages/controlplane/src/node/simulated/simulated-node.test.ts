import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { Node, Pod, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { InProcessTransport, KubernetesClient } from '@kubewright/client';
import { silentLogger } from '@kubewright/runtime';
import { describe, expect, it } from 'vitest';
import { nodeIdentity } from '../../cluster/identities.ts';
import { AddressPool, inProcessRange } from '../../network/address-pool.ts';
import { startNodeCluster } from '../testdata/node-cluster.ts';
import { simulatedNode } from './simulated-node.ts';

describe('simulatedNode', () => {
  it('simulates the pods assigned to it and copies extended resources to allocatable', async () => {
    await using cluster = await startNodeCluster();
    const connection = {
      remoteAddress: '127.0.0.1',
      protocol: 'in-process',
      clientCertificate: nodeIdentity('sim'),
    } as const;
    const watched: (string | undefined)[] = [];
    const handle: typeof cluster.plane.handle = (request) => {
      if (request.path.includes('watch=')) watched.push(/([a-z]+)\?/.exec(request.path)?.[1]);
      return cluster.plane.handle(request);
    };
    const transport = new InProcessTransport({ handle, connection });
    await using node = simulatedNode({
      nodeName: 'sim',
      client: new KubernetesClient({ transport, userAgent: 'kubelet' }),
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
      addresses: new AddressPool(inProcessRange),
    });
    const running = node.run();
    await node.started();
    const { admin } = cluster;
    const spec = {
      nodeName: 'sim',
      automountServiceAccountToken: false,
      containers: [{ name: 'c', image: 'any/image:1' }],
    };
    await expect
      .poll(
        () =>
          admin
            .resource(Node)
            .get({ name: 'sim' })
            .then(
              () => true,
              () => false,
            ),
        { timeout: 30_000 },
      )
      .toBe(true);
    const metadata = { name: 'default', namespace: 'kube-system' };
    await admin.resource(ServiceAccount).create(ServiceAccount({ metadata }));
    await admin.resource(Pod).create(
      Pod({
        metadata: { name: 'job', namespace: 'kube-system', annotations: { 'simulated.kubewright.dev/exit-code': '0' } },
        spec: { ...spec, restartPolicy: 'Never', serviceAccountName: 'default' },
      }),
    );
    const phase = async () => (await admin.resource(Pod).get({ namespace: 'kube-system', name: 'job' })).status?.phase;
    await expect.poll(phase, { timeout: 30_000 }).toBe('Succeeded');
    const body = { status: { capacity: { 'example.com/card': '4' } } };
    await admin.resource(Node).status.patch({ name: 'sim' }, { type: 'strategic', body });
    const allocatable = async () =>
      (await admin.resource(Node).get({ name: 'sim' })).status?.allocatable?.['example.com/card'];
    await expect.poll(allocatable, { timeout: 30_000 }).toBe('4');
    // Simulated containers do not read their environment, so nothing watches Services.
    expect(watched).toEqual(expect.arrayContaining(['pods', 'nodes']));
    expect(watched).not.toContain('services');
    await node[Symbol.asyncDispose]();
    await running;
  });
});
