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
beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
  shop = await cliProject(kubewright, 'shop');
  good = shop.read(api);
}, 120_000);
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
});
