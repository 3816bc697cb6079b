// An embedded cluster for bench/workloads.mjs. Prints a line once the cluster is ready, and exits on SIGTERM. node
// cluster-process.mjs FOLDER OPTIONS OPTIONS: the node settings of EmbeddedCluster, as JSON
import { EmbeddedCluster } from '@kubewright/controlplane';

const [directory, node] = process.argv.slice(2);
const cluster = await EmbeddedCluster.start({ directory, node: JSON.parse(node) });
process.on('SIGTERM', async () => {
  await cluster.stop();
  process.exit(0);
});
process.stdout.write('ready\n');
