import { configDefaults, defineConfig } from 'vitest/config';
import { LeftOutReporter, leftOut } from './scripts/left-out.mjs';

/** Where `.ci/run` wants the results, which it counts. */
const report = process.env['KUBEWRIGHT_TEST_REPORT'];

export default defineConfig({
  ssr: { resolve: { conditions: ['kubewright-source', 'node', 'import', 'default'] } },
  resolve: { conditions: ['kubewright-source', 'node', 'import', 'default'] },
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
    passWithNoTests: true,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
