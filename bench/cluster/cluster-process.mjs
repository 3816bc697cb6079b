// Runs the embedded cluster and the example operator as `npm start -- --empty` does, without the output. node
// cluster-process.mjs FOLDER PORT
import module from 'node:module';

// Reuses compiled code from earlier runs (Node 22 and newer), as our commands do.
const cache = new URL('../../node_modules/.cache/kubewright-bench', import.meta.url).pathname;
module.enableCompileCache?.(cache);
const { systemClock, systemRandom } = await import('@kubewright/apimachinery');
const { applyManifests, EmbeddedCluster } = await import('@kubewright/controlplane');
const { jsonLogger, Manager } = await import('@kubewright/runtime');

const [directory, port] = process.argv.slice(2);
const log = jsonLogger({ destination: process.stderr, now: systemClock.now, level: 'warn' });
const cluster = await EmbeddedCluster.start({
  directory,
  port: Number(port),
  clock: systemClock,
  random: systemRandom,
  node: {},
  log,
});
process.on('SIGTERM', async () => {
  await cluster[Symbol.asyncDispose]();
  process.exit(0);
});

module.flushCompileCache?.();
const { postgresql } = await import('../../examples/postgresql/dist/src/controllers/postgresql.js');
const config = new URL('../../examples/postgresql/config/', import.meta.url);
const files = [
  'crd/bases/database.db.example.com_postgresqls.yaml',
  ...['namespace', 'service_account', 'role', 'role_binding'].map((name) => `rbac/${name}.yaml`),
].map((name) => new URL(name, config).pathname);
await applyManifests(cluster.client(), { files, fieldManager: 'bench' });
const account = { namespace: 'postgresql-operator-system', name: 'postgresql-operator-controller-manager' };
const kubeconfig = await cluster.logInAs(account);
const operator = new Manager({ controllers: [postgresql], kubeconfig, log, handleSignals: false });
await operator.run();
