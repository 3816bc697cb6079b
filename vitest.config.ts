import { defineConfig } from 'vitest/config';

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
    // All processors: the default leaves one free, which is half of a small machine.
    maxWorkers: '100%',
    passWithNoTests: true,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
