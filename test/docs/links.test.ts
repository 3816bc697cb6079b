import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { assemble } from '../../scripts/docs/assemble.mjs';
import { repository } from '../main-job/repository.ts';

describe('the pages of the site', () => {
  const base = mkdtempSync(join(tmpdir(), 'kw-docs-pages-'));
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  it('link to existing files and headings', () => {
    expect(assemble(repository, join(base, 'site'))).toEqual([]);
  });

  it('are reported if a target is missing', () => {
    const root = join(base, 'repository');
    const files = {
      'docs/a.md':
        '# A\n\n![picture](images/x.svg)\n\n[one](b.md) [two](b.md#b-and-c) [three](#a) [code](../packages/p/code.ts)\n`[no](link.md)`\n',
      'docs/b.md':
        '# B and `C`\n\n[gone](c.md)\n[no\nheading](a.md#b)\n[only on the site](reference/error-codes.md)\n\n```md\n[no](link.md)\n```\n[p](../packages/p)\n',
      'packages/p/README.md': '# P\n\n[docs](../../docs/a.md#a)\n',
      'packages/p/code.ts': '',
      'docs/images/x.svg': '<svg/>',
      'examples/e/README.md': '# E\n',
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const site = join(base, 'other');
    expect(assemble(root, site)).toEqual([
      'docs/b.md:3: c.md does not exist',
      'docs/b.md:4: a.md#b has no such heading',
      'docs/b.md:6: reference/error-codes.md does not exist',
    ]);
    expect(readFileSync(join(site, 'packages/p.md'), 'utf8')).toContain('[docs](../a.md#a)');
    expect(readFileSync(join(site, 'b.md'), 'utf8')).toContain('[p](./packages/p.md)');
    expect(readFileSync(join(site, 'a.md'), 'utf8')).toContain('![picture](./images/x.svg)');
    expect(readFileSync(join(site, 'images/x.svg'), 'utf8')).toBe('<svg/>');
    // Links to source files become plain code, because the site has no pages for them.
    expect(readFileSync(join(site, 'a.md'), 'utf8')).toContain('[three](./a.md#a) code\n');
  });
});
