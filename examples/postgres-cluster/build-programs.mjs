// Bundles the instance manager into dist/instance (kubewright-images.json runs it there), the pooler into dist/pooler, and the
// kubectl plugin into dist/plugin.
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
  // In a clone of the repository, the packages are TypeScript sources.
  conditions: ['kubewright-source'],
  // node-postgres is CommonJS, and calls `require` for Node's modules.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  external: ['pg-native'],
});
