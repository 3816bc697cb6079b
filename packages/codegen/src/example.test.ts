import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Generator } from './generate.ts';

const root = fileURLToPath(new URL('../../../examples/postgresql', import.meta.url));

describe('the manifests of the PostgreSQL example', () => {
  const generator = new Generator({ root, projectName: 'postgresql-operator', namePrefix: 'postgresql-operator-' });

  it('match the generated ones byte for byte', async () => {
    const { files, problems } = await generator.generate();
    expect(problems).toEqual([]);
    const written = ['config/crd/bases', 'config/rbac'].flatMap((folder) =>
      readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
    );
    // These files are scaffolded, not generated, because they depend on where the operator runs.
    const scaffolded = ['namespace', 'role_binding', 'service_account'].map((name) => `config/rbac/${name}.yaml`);
    expect(files.map(({ path }) => path)).toEqual(written.filter((path) => !scaffolded.includes(path)).sort());
    for (const { path, text } of files) expect(text, path).toBe(readFileSync(join(root, path), 'utf8'));
  });

  it('are unchanged when regenerated and reflect a change of one file', async () => {
    const first = await generator.generate();
    expect(await generator.generate()).toEqual(first);
    const path = join(root, 'src/api/v1/postgresql.ts');
    const changed = readFileSync(path, 'utf8').replace('@minLength 1', '@minLength 8');
    const { files } = await generator.generate({ overlay: new Map([[path, changed]]) });
    const [crd] = files.filter((file) => file.path.startsWith('config/crd'));
    expect(crd?.text).toContain('minLength: 8');
    expect(await generator.generate({ overlay: new Map() })).toEqual(first);
  });

  it('are not generated after the signal was aborted', async () => {
    await expect(generator.generate({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });
});
