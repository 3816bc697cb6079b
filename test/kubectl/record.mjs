// Records what kubectl prints and sends against the real control plane:
//
//   KUBECONFIG=<kubeconfig of a fresh one, with controllers and scheduler, user by token> node test/kubectl/record.mjs
//
// Starts nothing but a played node (kubelet's port included) and a recording proxy, both on loopback, and writes
// testdata/recorded.json. Needs kubectl 1.32 and openssl on the PATH.
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const kubeconfig = process.env.KUBECONFIG;
if (!kubeconfig) throw new Error('set KUBECONFIG to the kubeconfig of a fresh control plane');
const conditions = ['kubewright-source', 'node', 'import', 'default'];
const { module } = await runnerImport(fileURLToPath(new URL('record.ts', import.meta.url)), {
  configFile: false,
  resolve: { conditions, noExternal: [/^@kubewright\//] },
});
await module.record(kubeconfig);
