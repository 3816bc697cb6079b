import { Manager } from '@kubewright/runtime';
import { postgresql } from './controllers/postgresql.ts';

const healthProbeBindAddress = process.env['HEALTH_PROBE_BIND_ADDRESS'] ?? ':8081';
const metricsBindAddress = process.env['METRICS_BIND_ADDRESS'] ?? '0';
try {
  await new Manager({ controllers: [postgresql], healthProbeBindAddress, metricsBindAddress }).run();
} catch (error) {
  // KW22…: the configuration of a cluster is missing or cannot be used. Anything else keeps its stack.
  if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('KW22'))) throw error;
  const remedy = 'set KUBECONFIG to the kubeconfig of your cluster; npm start prints the path of the embedded one';
  process.stderr.write(`The operator has no cluster to work on\n  why: ${error.message}\n  do: ${remedy}\n`);
  process.exitCode = 1;
}
