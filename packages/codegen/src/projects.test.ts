import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type JsonSchema, parseYaml } from '@kubewright/schema';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generate } from './generate.ts';

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kubewright project-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const specComment = `/** @int32 @minimum 1 */
  readonly replicas: number;
  readonly size?: Size;
  readonly rest?: Partial<Size>;`;
const sizeComment = `/** How large. */
export interface Size { /** In units. @int64 */ readonly units: number; readonly note?: string | undefined }
export type { Size as Renamed };
`;
const kind = (imports: string): string => `import { defineKind } from '@kubewright/runtime';
${imports}
export interface Spec { ${specComment} }
export const Thing = defineKind<Spec>({ group: 'example.com', version: 'v1', kind: 'Thing' });
`;

const compiler = (options: object, more: object = {}): string =>
  JSON.stringify({ compilerOptions: { module: 'nodenext', target: 'es2022', strict: true, ...options }, ...more });

/** Common ways to set up a project, which all yield the same result. */
const projects: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'imports with the extension of JavaScript': {
    'tsconfig.json': compiler({}),
    'src/size.ts': sizeComment,
    'src/thing.ts': kind(`import type { Size } from './size.js';`),
  },
  'imports with the extension of TypeScript': {
    'tsconfig.json': compiler({ allowImportingTsExtensions: true, noEmit: true }),
    'src/size.ts': sizeComment,
    'src/thing.ts': kind(`import { type Size } from './size.ts';`),
  },
  'imports without extension, for a bundler': {
    'tsconfig.json': compiler({ module: 'esnext', moduleResolution: 'bundler' }),
    'src/size.ts': sizeComment,
    'src/thing.ts': kind(`import type { Size } from './size';`),
  },
  exactOptionalPropertyTypes: {
    'tsconfig.json': compiler({ exactOptionalPropertyTypes: true }),
    'src/size.ts': sizeComment,
    'src/thing.ts': kind(`import type { Size } from './size.js';`),
  },
  'the strictest options there are': {
    'tsconfig.json': compiler({
      exactOptionalPropertyTypes: true,
      isolatedDeclarations: true,
      declaration: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
      composite: true,
    }),
    'src/size.ts': sizeComment,
    'src/thing.ts': kind(`import type { Size } from './size.js';`),
  },
  'no strictness': {
    'tsconfig.json': compiler({ strict: false }),
    'src/size.ts': sizeComment,
    'src/thing.ts': kind(`import type { Size } from './size.js';`),
  },
  'aliases of paths': {
    'tsconfig.json': compiler({ paths: { '#types/*': ['./src/types/*'] } }),
    'src/types/size.ts': sizeComment,
    'src/thing.ts': kind(`import type { Size } from '#types/size.js';`),
  },
  "a package's own imports": {
    'package.json': JSON.stringify({ name: 'app', type: 'module', imports: { '#size': './src/size.ts' } }),
    'tsconfig.json': compiler({}),
    'src/size.ts': sizeComment,
    'src/thing.ts': kind(`import type { Size } from '#size';`),
  },
  'a configuration that extends another': {
    'base.json': compiler({}),
    'tsconfig.json': '{ "extends": "./base.json", "include": ["src"] }',
    'src/size.ts': sizeComment,
    'src/thing.ts': kind(`import type { Size } from './size.js';`),
  },
  'exports of exports, under other names': {
    'tsconfig.json': compiler({}),
    'src/types/size.ts': sizeComment,
    'src/types/index.ts': `export * from './size.js';\nexport * as all from './size.js';`,
    'src/thing.ts': kind(
      `import { all } from './types/index.js';\nimport type { Renamed } from './types/index.js';\ntype Size = Renamed & all.Size;`,
    )
      .replace('size?: Size', 'size?: all.Size')
      .replace('Partial<Size>', 'Partial<Renamed>'),
  },
  'types in another package of the repository, as sources': {
    'packages/types/package.json': '{ "name": "@acme/types", "type": "module", "exports": "./src/index.ts" }',
    'packages/types/src/index.ts': sizeComment,
    'node_modules/@acme/types': '-> ../../packages/types',
    'tsconfig.json': compiler({}),
    'src/thing.ts': kind(`import type { Size } from '@acme/types';`),
  },
  'types in another package, as declarations': {
    'node_modules/@acme/types/package.json':
      '{ "name": "@acme/types", "type": "module", "exports": { ".": { "types": "./dist/index.d.ts" } } }',
    'node_modules/@acme/types/dist/index.d.ts': sizeComment.replaceAll('interface', 'interface'),
    'tsconfig.json': compiler({}),
    'src/thing.ts': kind(`import type { Size } from '@acme/types';`),
  },
  'all in one file, the functions under other names': {
    'tsconfig.json': compiler({}),
    'src/thing.ts': kind(sizeComment)
      .replace('import { defineKind }', 'import { defineKind as define }')
      .replace('defineKind<', 'define<'),
  },
  'the functions as a namespace': {
    'tsconfig.json': compiler({}),
    'src/thing.ts': kind(sizeComment)
      .replace('import { defineKind }', 'import * as kubewright')
      .replace('defineKind<', 'kubewright.defineKind<'),
  },
  'no tsconfig.json': {
    'package.json': '{ "name": "app", "type": "module" }',
    'src/size.ts': sizeComment,
    'src/thing.ts': kind(`import type { Size } from './size.js';`),
  },
  CommonJS: {
    'package.json': '{ "name": "app" }',
    'tsconfig.json': compiler({}),
    'src/size.ts': sizeComment,
    'src/thing.ts': kind(`import type { Size } from './size';`),
  },
  'types out of a generic and a condition': {
    'tsconfig.json': compiler({}),
    'src/size.ts': `${sizeComment}\ntype Optional<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;\nexport type Loose = Optional<Size, 'note'>;`,
    'src/thing.ts': kind(`import type { Loose, Size } from './size.js';`).replace('size?: Size', 'size?: Loose'),
  },
};

function write(files: Readonly<Record<string, string>>): void {
  mkdirSync(join(root, 'node_modules'));
  symlinkSync(join(modules, '@kubewright'), join(root, 'node_modules/@kubewright'), 'dir');
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    if (text.startsWith('-> ')) symlinkSync(text.slice(3), path, 'dir');
    else writeFileSync(path, text);
  }
}

async function specOf(): Promise<JsonSchema | undefined> {
  const { files, problems } = await generate({ root });
  expect(problems).toEqual([]);
  const text = files.find(({ path }) => path === 'config/crd/bases/example.com_things.yaml')?.text ?? '';
  const crd = parseYaml(new TextEncoder().encode(text)).value as {
    readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: JsonSchema } }[] };
  };
  return crd.spec.versions[0]?.schema.openAPIV3Schema.properties?.['spec'];
}

describe('projects', () => {
  it.each(Object.entries(projects))('are read correctly: %s', { timeout: 60_000 }, async (name, files) => {
    write(files);
    const spec = await specOf();
    const units = { type: 'integer', format: 'int64', description: 'In units.' };
    const properties = { units, note: { type: 'string' } };
    const size = spec?.properties?.['size'];
    expect(spec?.required).toEqual(['replicas']);
    expect(spec?.properties?.['replicas']).toEqual({ type: 'integer', format: 'int32', minimum: 1 });
    expect(size).toMatchObject({ type: 'object', properties, required: ['units'] });
    // An intersection is not an interface, so it has no comment.
    if (!name.includes('condition')) expect(size?.description).toBe('How large.');
    expect(spec?.properties?.['rest']).toMatchObject({ type: 'object', properties });
    expect(spec?.properties?.['rest']?.required).toBeUndefined();
  });

  it('report problems at files of other packages', { timeout: 60_000 }, async () => {
    write({
      'packages/types/package.json': '{ "name": "@acme/types", "type": "module", "exports": "./src/index.ts" }',
      'packages/types/src/index.ts': 'export interface Size { units: number }\n',
      'app/node_modules/@acme/types': '-> ../../../packages/types',
      'app/tsconfig.json': compiler({}),
      'app/src/thing.ts': kind(`import type { Size } from '@acme/types';`),
    });
    symlinkSync(join(modules, '@kubewright'), join(root, 'app/node_modules/@kubewright'), 'dir');
    const { problems } = await generate({ root: join(root, 'app') });
    expect(problems[0]).toMatchObject({
      code: 'KW6101',
      file: '../packages/types/src/index.ts',
      line: 1,
      column: 25,
      path: 'spec.size.units',
    });
  });

  it('report an unreadable configuration', { timeout: 60_000 }, async () => {
    write({ 'tsconfig.json': '{ "extends": "./missing.json" }', 'src/thing.ts': kind(sizeComment) });
    const { problems, files } = await generate({ root });
    expect(problems[0]).toMatchObject({ code: 'KW6001', file: 'tsconfig.json', fix: 'fix tsconfig.json' });
    expect(files).toEqual([]);
  });
});
