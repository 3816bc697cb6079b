import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namespacesOfANewCluster } from './testdata/readme-example.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('README', () => {
  it('shows the example that is checked', async () => {
    const shown = /```ts\n([\s\S]*?)```/.exec(read('../README.md'))?.[1];
    expect(shown).toBe(read('testdata/readme-example.ts'));
    const directory = mkdtempSync(join(tmpdir(), 'kw-readme-'));
    expect(await namespacesOfANewCluster(directory)).toContain('kube-system');
    rmSync(directory, { recursive: true, force: true });
  });
});
