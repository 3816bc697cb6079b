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
    passWithNoTests: true,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
