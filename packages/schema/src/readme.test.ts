import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isSmall, problems } from './testdata/readme-example.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('README', () => {
  it('contains the tested example', () => {
    const shown = /```ts\n([\s\S]*?)```/.exec(read('../README.md'))?.[1];
    expect(shown).toBe(read('testdata/readme-example.ts'));
    expect(isSmall).toBe(true);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('should be greater than or equal to 1');
  });
});
