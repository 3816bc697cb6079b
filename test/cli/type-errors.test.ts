import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { build } from '../main-job/repository.ts';
import { type CliProject, cliProject } from './cli-project.ts';
import { CommandLine } from './command-line.ts';

// Each command loads a compiler.
vi.setConfig({ testTimeout: 90_000 });

let kubewright: CommandLine;
let shop: CliProject;
const api = 'src/api/v1/shop.ts';
let good: string;
const typeErrors = `KW7507 the types of the project have errors
  why: one error, the first in src/api/v1/shop.ts:24:3
  fix: fix the errors listed above, or add --no-type-check to ignore them
`;
beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
  shop = await cliProject(kubewright, 'shop');
  good = shop.read(api);
}, 120_000);
/** Returns the position of a text, as compilers count. */
function place(program: string, text: string): { readonly line: number; readonly column: number } {
  const before = program.slice(0, program.indexOf(text)).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

afterAll(() => kubewright?.[Symbol.dispose]());

describe('kubewright generate', () => {
  it.each([
    {
      name: 'a type that has no schema',
      fields: ['/** When it opens. */', 'readonly at?: Date;'],
      stderr: `src/api/v1/shop.ts:10:17 error KW6102 spec.at: the class Date cannot be represented in JSON
     9 |   /** When it opens. */
    10 |   readonly at?: Date;
       |                 ^
    11 | }
  fix: use string with the tag @dateTime
KW7401 cannot generate the manifests from the types; nothing was written
  why: one error, the first in src/api/v1/shop.ts:10:17
  fix: fix the errors listed above; for details, run kubewright explain CODE
`,
    },
    {
      name: 'a schema that is not structural',
      fields: [
        '/** Whose it is. @listType map @listMapKey id */',
        'readonly owners?: readonly { readonly id?: string }[];',
      ],
      stderr: `src/api/v1/shop.ts:10:32 error KW6301 spec.owners[].id: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property
     9 |   /** Whose it is. @listType map @listMapKey id */
    10 |   readonly owners?: readonly { readonly id?: string }[];
       |                                ^
    11 | }
  why: the API server would reject the CRD
  fix: change the tags or the type of this field
KW7401 cannot generate the manifests from the types; nothing was written
  why: one error, the first in src/api/v1/shop.ts:10:32
  fix: fix the errors listed above; for details, run kubewright explain CODE
`,
    },
  ])('reports $name with its location in the code and the fix', async ({ fields, stderr }) => {
    const line = '  readonly message: string;\n';
    shop.edit(api, () => good.replace(line, `${line}${fields.map((field) => `  ${field}\n`).join('')}`));
    expect(await shop.run('generate')).toEqual({ code: 1, stdout: '', stderr });
    expect(existsSync(join(shop.root, 'config/crd'))).toBe(false);
  });

  it('writes the manifests despite a type error elsewhere, and reports the error', async () => {
    shop.edit(api, () => good);
    const wrong = good.replace("kind: 'Shop',", "kind: 'Shop',\n  colums: [],");
    shop.edit(api, () => wrong);
    const { code, stdout, stderr } = await shop.run('generate');
    expect(stdout).toMatch(
      /✓ generated +\d+ files\n! type check failed +one error\n {4}src\/api\/v1\/shop\.ts:24:3 TS2769 No overload matches this call\.\n {6}Object literal may only specify known properties.*'colums' does not exist in type .*\n/,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await shop.run('generate', '--check')).toMatchObject({ code: 1, stderr: typeErrors });
    expect(await shop.run('generate', '--check', '--no-type-check')).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('type errors', () => {
  const path = 'src/controllers/shop.ts';

  it.each([
    ['an expression', '(object) => ({ children: [configMapFor(object)], status: { pods: 1 } })'],
    ['a block', '(object) => {\n    return { children: [configMapFor(object)], status: { pods: 1 } };\n  }'],
  ])('name an undeclared status field and the type of the status, in %s', async (_, desired) => {
    shop.edit(api, () => good);
    const controller = shop.read(path);
    shop.edit(path, (text) => text.replace(/\(object\) => \(\{.*\}\)/, desired));
    const { stdout } = await shop.run('generate');
    expect(stdout).toContain("Type 'number' is not assignable to type 'UndeclaredField<\"pods\", ShopStatus>'.\n");
    shop.edit(path, () => controller);
  });

  it('point at a status field of a wrong type', async () => {
    const controller = shop.read(path);
    const wrong = "status: { observedGeneration: 'one' }";
    shop.edit(path, (text) => text.replace('status: {}', wrong));
    const { line, column } = place(shop.read(path), "observedGeneration: 'one'");
    const { stdout } = await shop.run('generate');
    expect(stdout).toContain(`${path}:${line}:${column} TS2322 Type 'string' is not assignable to type 'number'.\n`);
    shop.edit(path, () => controller);
  });
});

describe('kubewright build', () => {
  it('rejects a program with a type error, in a test too, and writes nothing to dist', async () => {
    shop.edit(api, () => good);
    const controller = shop.read('src/controllers/shop.test.ts');
    shop.edit('src/controllers/shop.test.ts', (text) => `${text}const count: number = 'one';\n`);
    const { code, stdout, stderr } = await shop.run('build');
    expect(stdout).toMatch(/ {4}src\/controllers\/shop\.test\.ts:\d+:7 TS2322 Type 'string' is not assignable/);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^KW7507 the types of the project have errors\n/),
    });
    expect(existsSync(join(shop.root, 'dist'))).toBe(false);
    expect(await shop.run('build', '--no-type-check')).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(shop.root, 'dist/main.mjs'))).toBe(true);
    shop.edit('src/controllers/shop.test.ts', () => controller);
  });
});
