// Only what needs types and Biome cannot see; everything else is Biome's.
import tseslint from 'typescript-eslint';

// `.kubewright` holds what `npm start` and `kubewright run` build, `dist` what `kubewright build` writes.
export default tseslint.config(
  { ignores: ['**/.kubewright/**', '**/dist/**'] },
  {
    files: ['packages/*/src/**/*.ts', 'examples/*/{src,dev}/**/*.ts'],
    ignores: ['**/generated/**', '**/testdata/**'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { project: ['./tsconfig.check.json', './tsconfig.examples.json'] },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
    },
  },
  {
    files: ['packages/*/src/**/*.ts'],
    ignores: ['**/*.test.ts', '**/generated/**', '**/testdata/**'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: ['node:http', 'http'].map((name) => ({
            name,
            allowTypeImports: true,
            message: "An import loads Node's fetch, too (30 ms, 14 MB): use process.getBuiltinModule('node:http').",
          })),
        },
      ],
    },
  },
);
