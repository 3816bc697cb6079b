import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GenerateResult, Generator, generate } from './generate.ts';

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
let root: string;

const kind = `import { defineKind } from '@kubewright/runtime';
import type { Size } from './size.js';
export interface Spec { readonly size?: Size }
export const Thing = defineKind<Spec>({ group: 'example.com', version: 'v1', kind: 'Thing' });
`;
const controller = `import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { controller } from '@kubewright/runtime';
import { Thing } from './kinds/index.js';
export const things = controller({
  for: Thing,
  owns: [ConfigMap],
  async reconcile(thing, context) {
    await context.apply({ apiVersion: 'other.example.com/v1', kind: 'Later', metadata: { name: 'a' } });
  },
});
`;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kubewright-generator-'));
  symlinkSync(modules, join(root, 'node_modules'), 'dir');
  write('tsconfig.json', '{ "compilerOptions": { "module": "nodenext", "target": "es2022", "strict": true } }');
  write('src/kinds/size.ts', `/** How large. */\nexport type Size = 'small' | 'large';\n`);
  write('src/kinds/thing.ts', kind);
  write('src/kinds/index.ts', `export * from './thing.js';\n`);
  write('src/controller.ts', controller);
});
afterEach(() => rmSync(root, { recursive: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

/** Checks that an incremental run yields the same result as a new generator. */
async function regenerate(generator: Generator): Promise<GenerateResult> {
  const result = await generator.generate();
  expect(result).toEqual(await generate({ root }));
  return result;
}

const textOf = ({ files }: GenerateResult, name: string): string => files.find(({ path }) => path.includes(name))!.text;

describe('Generator', () => {
  it('detects changes in imported files, through aliases and re-exports', { timeout: 60_000 }, async () => {
    const generator = new Generator({ root });
    expect(textOf(await regenerate(generator), 'crd/bases')).toContain('- large\n');

    write('src/kinds/size.ts', `/** How large. */\nexport type Size = 'small' | 'huge';\n`);
    expect(textOf(await regenerate(generator), 'crd/bases')).toContain('- huge\n');

    write('src/kinds/thing.ts', kind.replace(`'Thing' }`, `'Thing', plural: 'thingies' }`));
    const renamed = await regenerate(generator);
    expect(textOf(renamed, 'role.yaml')).toContain('- thingies\n');
    expect(textOf(renamed, 'role.yaml')).not.toContain('- things\n');
  });

  it('repeats the problems of unchanged files', { timeout: 60_000 }, async () => {
    const generator = new Generator({ root });
    const first = await regenerate(generator);
    expect(first.problems).toMatchObject([{ code: 'KW6401', file: 'src/controller.ts', line: 8 }]);
    write('src/kinds/size.ts', `export type Size = 'other';\n`);
    expect((await regenerate(generator)).problems).toEqual(first.problems);
  });

  it('resolves a kind that is declared later in code that was read before', { timeout: 60_000 }, async () => {
    const generator = new Generator({ root });
    await regenerate(generator);
    write(
      'src/kinds/later.ts',
      `import { defineKind } from '@kubewright/runtime';
       export const Later = defineKind<{ a?: string }>({ group: 'other.example.com', version: 'v1', kind: 'Later' });`,
    );
    const result = await regenerate(generator);
    expect(result.problems).toEqual([]);
    expect(textOf(result, 'role.yaml')).toContain('- laters\n');
  });

  it('detects changes of global declarations', { timeout: 60_000 }, async () => {
    write('src/kinds/size.ts', 'export type Size = Global;\n');
    write('src/global.ts', `declare global { type Global = 'one' }\nexport {};\n`);
    const generator = new Generator({ root });
    expect(textOf(await regenerate(generator), 'crd/bases')).toContain('- one\n');
    write('src/global.ts', `declare global { type Global = 'two' }\nexport {};\n`);
    expect(textOf(await regenerate(generator), 'crd/bases')).toContain('- two\n');
  });
});
