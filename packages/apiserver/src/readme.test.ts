import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nameOfANewFlunder } from './testdata/readme-example.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('README', () => {
  it('shows the tested example', async () => {
    const shown = /```ts\n([\s\S]*?)```/.exec(read('../README.md'))?.[1];
    expect(shown).toBe(read('testdata/readme-example.ts'));
    expect(await nameOfANewFlunder()).toMatch(/^flunder-\w{5}$/);
  });
});
