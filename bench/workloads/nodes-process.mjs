// Runs the embedded cluster's simulated nodes for a real control plane. Prints a line once the nodes run, and exits on
// SIGTERM. node --conditions=kubewright-source nodes-process.mjs KUBECONFIG COUNT
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { clientFromConfig, loadClientConfig } from '@kubewright/client';
import { silentLogger } from '@kubewright/runtime';
import { AddressPool, inProcessRange } from '../../packages/controlplane/src/network/address-pool.ts';
import { simulatedNode, virtualNodeIP } from '../../packages/controlplane/src/node/index.ts';

const [kubeconfig, count] = process.argv.slice(2);
const client = clientFromConfig(await loadClientConfig({ kubeconfig }));
const addresses = new AddressPool(inProcessRange);
const nodes = Array.from({ length: Number(count) }, (_, index) => {
  const nodeName = `node-${index + 1}`;
  return simulatedNode({
    nodeName,
    nodeIP: virtualNodeIP(index),
    client: client.with({ impersonate: { user: `system:node:${nodeName}`, groups: ['system:nodes'] } }),
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    addresses,
  });
});
for (const node of nodes) void node.run();
await Promise.all(nodes.map((node) => node.started()));
process.on('SIGTERM', async () => {
  await Promise.all(nodes.map((node) => node.stop({ withinMs: 1_000 })));
  process.exit(0);
});
process.stdout.write('ready\n');
