// Bundles the instance manager into dist/instance, from where kubewright-images.json runs it, and the entry point
// of a pooler into dist/pooler, and the plugin for kubectl into dist/plugin.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

await build({
  absWorkingDir: dirname(fileURLToPath(import.meta.url)),
  entryPoints: {
    'instance/main': 'src/instance/main.ts',
    'pooler/main': 'src/pooler/main.ts',
    'plugin/main': 'src/plugin/main.ts',
  },
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  sourcemap: true,
  // From a clone, the packages are sources.
  conditions: ['kubewright-source'],
  // node-postgres is CommonJS, and requires Node's modules.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  external: ['pg-native'],
});
