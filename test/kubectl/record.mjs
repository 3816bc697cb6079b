// Records what kubectl prints and sends against the real control plane:
//
//   KUBECONFIG=<kubeconfig> node test/kubectl/record.mjs
//
// The control plane must be new, with controllers, a scheduler and a user that has a token. Starts only a simulated
// node (including the kubelet's port) and a recording proxy, both on loopback, and writes testdata/recorded.json. Needs
// kubectl 1.32 and openssl on the PATH.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const kubeconfig = process.env.KUBECONFIG;
if (!kubeconfig) throw new Error('set KUBECONFIG to the kubeconfig of a fresh control plane');
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
// Bundles the recorder, because older Node versions cannot run TypeScript. The bundle is below node_modules, so that it can
// import external packages.
const folder = here('../../node_modules/.cache/kubewright');
mkdirSync(folder, { recursive: true });
const bundle = `${folder}/record-kubectl.mjs`;
await build({
  entryPoints: [fileURLToPath(new URL('record.ts', import.meta.url))],
  outfile: bundle,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  conditions: ['kubewright-source'],
  external: ['kubernetes-types', 'ws', 'yaml'],
  logLevel: 'error',
});
const { record } = await import(bundle);
await record(kubeconfig, here('testdata/'));
