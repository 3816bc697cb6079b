import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { usageOf } from './testdata/usage-of.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('README', () => {
  it('shows the example that is type-checked', () => {
    const shown = /```ts\n([\s\S]*?)```/.exec(read('../README.md'))?.[1];
    expect(shown).toBe(read('testdata/readme-example.ts'));
  });

  it('shows an example that works unchanged', async () => {
    const { usage } = await usageOf(() => import('./testdata/readme-example.ts'));
    expect(usage).toContain('--leader-elect');
  }, 60_000);
});
