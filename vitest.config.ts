import { configDefaults, defineConfig } from 'vitest/config';
import { LeftOutReporter, leftOut } from './scripts/left-out.mjs';

/** Where `.ci/run` wants the results, which it counts. */
const report = process.env['KUBEWRIGHT_TEST_REPORT'];

export default defineConfig({
  // Not `import`: workers run with these conditions, and CommonJS modules would then require ES modules.
  ssr: { resolve: { conditions: ['kubewright-source', 'node'] } },
  resolve: { conditions: ['kubewright-source', 'node'] },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'examples/*/{src,dev}/**/*.test.ts',
      'scripts/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    exclude: [...configDefaults.exclude, ...leftOut],
    reporters: ['default', new LeftOutReporter(), ...(report ? ['json'] : [])],
    ...(report && { outputFile: { json: report } }),
    // All processors: the default leaves one free, which is half of a small machine.
    maxWorkers: '100%',
    // Importing a module does nothing, here: files can share what was imported, which is a third of all their work.
    isolate: false,
    // Transforming the sources takes longer than most tests. CI starts from nothing, so a cache is of no use there.
    experimental: { fsModuleCache: !process.env['CI'] },
    // kubectl would remember what the last cluster with the same port served.
    env: { KUBECACHEDIR: '/dev/null' },
    passWithNoTests: true,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // How long `expect.poll` waits: a busy machine takes longer than the default of one second.
    expect: { poll: { timeout: 15_000 } },
  },
});
