import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { repository } from '../main-job/repository.ts';
import { codeIn, page, tableRows } from './pages.ts';

const architecture = page('ARCHITECTURE.md');
const topLevel = new Set(readdirSync(repository));
const packages = readdirSync(join(repository, 'packages'));

/** Returns the sections of the page by heading, without their subsections. */
function sections(): ReadonlyMap<string, string> {
  const parts = architecture.text.split(/^##+ (.+)$/m);
  return new Map(parts.flatMap((part, index) => (index % 2 === 1 ? [[part, parts[index + 1] ?? ''] as const] : [])));
}

function section(heading: string): string {
  const text = sections().get(heading);
  if (text === undefined) throw new Error(`ARCHITECTURE.md has no section ${heading}`);
  return text;
}

function rowsOf(text: string): readonly (readonly string[])[] {
  return tableRows({ ...architecture, text });
}

/** The paths in the tables that list where to make changes, relative to the repository. */
const changePaths = [...sections()]
  .filter(([, text]) => /^\| to change \| open \|$/m.test(text))
  .flatMap(([heading, text]) => {
    const [base = ''] = codeIn(heading);
    const codes = rowsOf(text).flatMap(([, where = '']) => codeIn(where));
    return codes.filter(isPath).map((code) => (topLevel.has(code.split('/')[0] ?? '') ? code : `${base}${code}`));
  });

/**
 * Reports whether a path exists in the repository. `<name>` matches any name; a repeated `<name>` matches the same
 * name.
 */
function exists(path: string): boolean {
  const [, before, name, after = ''] = /^(.*?)(<\w+>)(.*)$/.exec(path) ?? [];
  if (before === undefined || name === undefined) return existsSync(join(repository, path));
  const folder = join(repository, before);
  if (!existsSync(folder)) return false;
  const [rest = ''] = after.split('/', 1);
  return readdirSync(folder)
    .filter((entry) => entry.endsWith(rest))
    .map((entry) => entry.slice(0, entry.length - rest.length))
    .some((value) => exists(`${before}${path.slice(before.length).replaceAll(name, value)}`));
}

function foldersOf(packageName: string): readonly string[] {
  return readdirSync(join(repository, 'packages', packageName, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'testdata')
    .map(({ name }) => name)
    .sort();
}

/** Returns the top-level folders of a package in the order that the boundary check enforces. */
async function enforcedOrder(packageName: string): Promise<readonly string[]> {
  const url = pathToFileURL(join(repository, '.dependency-cruiser.mjs')).href;
  const { default: rules } = (await import(url)) as { readonly default: { readonly forbidden: readonly Rule[] } };
  const names = new Set(foldersOf(packageName));
  return rules.forbidden
    .map(({ name }) => new RegExp(`^${packageName}-(.+)-imports-downward$`).exec(name)?.[1] ?? '')
    .filter((folder) => names.has(folder));
}

interface Rule {
  readonly name: string;
}

describe('ARCHITECTURE.md', () => {
  it('names only existing files and folders in its tables of changes', () => {
    expect(changePaths.length).toBeGreaterThan(200);
    expect(changePaths.filter((path) => !exists(path))).toEqual([]);
  });

  it('has a row for each folder of the packages without a list of folders', () => {
    const listed = ['runtime', 'cli', 'create-kubewright'];
    const folders = packages
      .filter((name) => !listed.includes(name))
      .flatMap((name) => foldersOf(name).map((folder) => `packages/${name}/src/${folder}/`))
      .filter((path) => !path.endsWith('/generated/'));
    expect(folders.filter((folder) => !changePaths.some((path) => path.startsWith(folder)))).toEqual([]);
  });

  it('names only existing packages and folders in its text and diagrams', () => {
    const named = [...architecture.text.matchAll(/(?<![\w/@.-])([a-z]+)\/([a-z][\w-]*)/g)]
      .filter(([, name = '']) => packages.includes(name))
      .map(([, name, folder]) => `packages/${name}/src/${folder}`);
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((path) => !exists(path))).toEqual([]);
  });

  it('lists every package', () => {
    const listed = rowsOf(section('Packages')).map(([name = '']) => codeIn(name)[0]?.split('/')[0]);
    const names = packages.filter((name) => name !== 'create-kubewright');
    expect([...new Set(listed)].sort()).toEqual(names.sort());
  });

  it.each([
    ['runtime', 'The folders of the runtime'],
    ['cli', 'The folders of the command line'],
  ])('lists the folders of %s in the order that the boundary check enforces', async (name, heading) => {
    const listed = rowsOf(section(heading)).flatMap(([folders = '']) => codeIn(folders));
    expect(listed).toEqual(await enforcedOrder(name));
    expect([...listed].sort()).toEqual(foldersOf(name));
  });
});

/** Reports whether inline code is a path, not a command or a file extension. */
function isPath(code: string): boolean {
  return /^[\w.<>/-]+$/.test(code) && !/^\.\w+$/.test(code) && /[/.]/.test(code);
}
