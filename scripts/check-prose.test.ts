import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkProse, listProse, updateRatchet } from './prose/check.mjs';

interface Rule {
  readonly not: string;
  readonly but: string;
  readonly at?: string;
  readonly example?: string;
}
const words = JSON.parse(
  readFileSync(fileURLToPath(new URL('prose/words.json', import.meta.url)), 'utf8'),
) as readonly Rule[];

describe('check-prose', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'kw-prose-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it.each(words.filter(({ at }) => at === undefined))('reports "$not" on a page', ({ not, but, example = not }) => {
    expect(check({ 'docs/page.md': `# Title\n\nText with ${example} in it.\n` }).lines.join('\n')).toContain(
      `": ${but}`,
    );
  });

  it.each(words.filter(({ at }) => at !== undefined))(
    'reports a doc comment that opens with "$not"',
    ({ not, but }) => {
      expect(check({ 'packages/a/src/a.ts': `/** ${not} the name is. */\nexport const a = 1;\n` }).lines).toContain(
        `  packages/a/src/a.ts:1: "${not}": ${but}`,
      );
      expect(check({ 'packages/a/src/a.ts': `/** Not ${not} the name is. */\nexport const a = 1;\n` }).ok).toBe(true);
    },
  );

  it('reports the line of a phrase that spans a line break', () => {
    const { ok, lines } = check({ 'README.md': '# Title\n\nRoles in place\nof cluster roles.\n' });
    expect(ok).toBe(false);
    expect(lines).toContain('  README.md:3: "in place of": instead of');
  });

  it('reads comments and messages, and ignores code', () => {
    const text = [
      'const whom = "nor", pattern = /nor/; // read anew',
      'const url = "https://example.com/";',
      '/* of its',
      ' * own */',
      'const message = `the object $' + '{whom("nor this here either")} is made anew`;',
      '',
    ].join('\n');
    expect(check({ 'packages/a/src/b/c.ts': text }).lines.slice(1)).toEqual([
      expect.stringContaining('c.ts:1: "anew"'),
      expect.stringContaining('c.ts:3: "of its own"'),
      expect.stringContaining('c.ts:5: "nor"'),
      expect.stringContaining('c.ts:5: "anew"'),
    ]);
  });

  it('ignores code, links and output on pages', () => {
    const text = 'See `nor` and [this](whom/anew.md), <https://example.com/nor>.\n\n```text\nnobody\n```\n';
    expect(check({ 'docs/page.md': text }).ok).toBe(true);
  });

  it('accepts exceptions with a reason, and reports unused exceptions', () => {
    const comment = '<!-- prose: allow "nor" because it is the name of a gate -->';
    expect(check({ 'docs/page.md': `${comment}\nA nor gate.\n` }).ok).toBe(true);
    expect(check({ 'docs/page.md': `${comment}\nA gate.\n` }).lines.join('\n')).toContain('remove this exception');
    expect(check({ 'docs/page.md': `${comment}\nA gate.\n\nA nor gate.\n` }).ok).toBe(false);
    expect(check({ 'docs/page.md': '<!-- prose: allow "nor" -->\nA nor gate.\n' }).ok).toBe(false);
    expect(check({ 'docs/page.md': '', 'test/a.ts': '// prose-ok: the name of a gate\n// A nor gate.\n' }).ok).toBe(
      true,
    );
    expect(check({ 'test/a.ts': '// prose-ok:\n// A nor gate.\n' }).ok).toBe(false);
  });

  it('allows the count of a folder to fall, but not to rise', () => {
    const two = { 'packages/a/src/b/c.ts': '// anew, anew\n' };
    write(two);
    updateRatchet(root);
    expect(check(two).ok).toBe(true);
    expect(listProse(root, ['packages/a'])).toHaveLength(2);
    expect(check({ 'packages/a/src/b/c.ts': '// anew, anew, anew\n' }).lines[0]).toMatch(
      /^packages\/a\/src\/b: 3 findings, 2 allowed/,
    );
    expect(check({ 'packages/a/src/b/c.ts': '// anew\n' })).toMatchObject({
      ok: true,
      lines: [expect.stringContaining('1 folders improved')],
    });
    updateRatchet(root);
    expect(check(two).ok).toBe(false);
    updateRatchet(root);
    expect(JSON.parse(readFileSync(join(root, 'scripts/prose/ratchet.json'), 'utf8'))).toEqual({
      'packages/a/src/b': 1,
    });
  });

  function write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries({ 'scripts/prose/x': '', ...files })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  }

  function check(files: Readonly<Record<string, string>>): ReturnType<typeof checkProse> {
    write(files);
    return checkProse(root);
  }
});
