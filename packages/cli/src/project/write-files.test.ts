import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { generatedFile, outdated, writeGenerated } from './write-files.ts';

const root = mkdtempSync(join(tmpdir(), 'kw-files-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('writeGenerated', () => {
  const path = 'manager.yaml';
  const object = (replicas: number): string => `apiVersion: apps/v1\nkind: Deployment\nspec: {replicas: ${replicas}}\n`;

  it('overwrites a file with the header and keeps one without it', () => {
    const generated = [generatedFile(path, object(1))];
    expect(writeGenerated(root, generated)).toEqual({ written: [path], kept: [] });
    writeFileSync(join(root, path), generatedFile(path, object(2)).text);
    expect(writeGenerated(root, generated)).toEqual({ written: [path], kept: [] });
    for (const own of [object(3), `---\n${object(3)}`]) {
      writeFileSync(join(root, path), own);
      expect(outdated(root, generated)).toEqual([]);
      expect(writeGenerated(root, generated)).toEqual({ written: [], kept: [path] });
      expect(readFileSync(join(root, path), 'utf8')).toBe(own);
    }
  });

  it('overwrites files without a header that were generated from types', () => {
    const bare = [{ path: 'role.yaml', text: `---\n${object(1)}` }];
    writeFileSync(join(root, 'role.yaml'), `---\n${object(2)}`);
    expect(outdated(root, bare)).toEqual(['role.yaml']);
    expect(writeGenerated(root, bare)).toEqual({ written: ['role.yaml'], kept: [] });
  });
});
