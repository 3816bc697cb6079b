import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { build, repository } from '../main-job/repository.ts';
import { type Block, docsPages, isFile, type Page } from './pages.ts';
import { scaffolded } from './scaffold.ts';

const pages = docsPages().filter(({ blocks }) => blocks.some(isFile));
// Includes all folders, because an operator in one file has no src/ folder.
const tsconfig = scaffolded('tsconfig.json').replace('"src"', '"**/*.ts"');

describe('files that the documentation shows', () => {
  const base = mkdtempSync(join(tmpdir(), 'kw-docs-code-'));
  beforeAll(() => build(), 180_000);
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  it.each(pages.map((page) => [page.path, page] as const))(
    '%s shows files that compile in a project',
    (_, page) => {
      for (const [index, files] of statesOf(page).entries()) {
        const folder = join(base, page.path.replaceAll('/', '-'), String(index));
        for (const { title, text } of files) write(join(folder, title), text);
        write(join(folder, 'tsconfig.json'), tsconfig);
        write(join(folder, 'package.json'), '{ "type": "module" }\n');
        symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
        if (files.some(({ title }) => title.endsWith('.ts'))) expect(compile(folder)).toBe('');
      }
    },
    120_000,
  );

  it.each(pages.map((page) => [page.path, page] as const))('%s shows valid YAML and JSON', (_, { blocks }) => {
    for (const { language, title, text } of blocks.filter(isFile)) {
      if (language === 'json') expect(() => JSON.parse(text), title).not.toThrow();
      if (language === 'yaml')
        for (const document of parseAllDocuments(text)) expect(document.errors, title).toEqual([]);
    }
  });
});

/**
 * Returns the states of the page's files: a snapshot before each change that the page makes to a file, then the final
 * state.
 */
function statesOf({ blocks }: Page): readonly (readonly Block[])[] {
  const states: (readonly Block[])[] = [];
  let files = new Map<string, Block>();
  for (const block of blocks.filter(isFile)) {
    if (files.has(block.title) && files.get(block.title)?.text !== block.text) {
      states.push([...files.values()]);
      files = new Map(files);
    }
    files.set(block.title, block);
  }
  return [...states, [...files.values()]];
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Returns the compiler's errors. */
function compile(folder: string): string {
  const tsc = join(repository, 'node_modules/typescript-7/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { cwd: folder, encoding: 'utf8' });
  return status === 0 ? '' : stdout;
}
