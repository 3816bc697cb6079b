// Records what kubectl prints and sends against the real control plane:
//
//   KUBECONFIG=<kubeconfig of a fresh one, with controllers and scheduler, user by token> node test/kubectl/record.mjs
//
// Starts nothing but a played node (kubelet's port included) and a recording proxy, both on loopback, and writes
// testdata/recorded.json. Needs kubectl 1.32 and openssl on the PATH.
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const kubeconfig = process.env.KUBECONFIG;
if (!kubeconfig) throw new Error('set KUBECONFIG to the kubeconfig of a fresh control plane');
// Loads TypeScript; packages come built (`npm run build`).
const vite = await createServer({
  configFile: false,
  logLevel: 'error',
  server: { middlewareMode: true, watch: null, ws: false },
  optimizeDeps: { noDiscovery: true },
  ssr: { external: ['apimachinery', 'client', 'controlplane', 'runtime'].map((name) => `@kubewright/${name}`) },
});
try {
  const module = await vite.ssrLoadModule(fileURLToPath(new URL('record.ts', import.meta.url)));
  await module.record(kubeconfig);
} finally {
  await vite.close();
}
