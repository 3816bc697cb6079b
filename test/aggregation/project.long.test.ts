import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CliProject, cliProject } from '../cli/cli-project.ts';
import { CommandLine } from '../cli/command-line.ts';

// The command line compiles the project on each run.
vi.setConfig({ testTimeout: 120_000 });

const CRD = 'config/crd/bases/well.example.com_wells.yaml';
const APISERVICE = 'config/apiservice/well.example.com_v1.yaml';
const DOCUMENT = 'config/openapi/well.example.com_v1.json';
const SCHEMA = 'schemas/well.example.com/well_v1.json';

describe('kubewright generate, for a kind of an aggregated server', () => {
  let kubewright: CommandLine;
  let project: CliProject;
  beforeAll(async () => {
    kubewright = await CommandLine.build();
    project = await cliProject(kubewright, 'well');
  }, 180_000);
  afterAll(() => kubewright?.[Symbol.dispose]());

  const has = (path: string): boolean => existsSync(join(project.root, path));
  const kindFile = 'src/api/v1/well.ts';

  it('writes and includes an APIService and a document instead of the CRD', async () => {
    project.edit(kindFile, (text) => text.replace("version: 'v1',", "version: 'v1',\n  servedBy: 'aggregated',"));
    const { code, stderr } = await project.run('generate');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect([APISERVICE, DOCUMENT, SCHEMA].map(has)).toEqual([true, true, true]);
    expect([CRD, 'config/crd/kustomization.yaml'].map(has)).toEqual([false, false]);
    expect(project.read('config/apiservice/kustomization.yaml')).toContain('- well.example.com_v1.yaml\n');
    expect(project.read('config/default/kustomization.yaml')).toContain('- ../apiservice\n');
    expect((await project.run('generate', '--check')).code).toBe(0);
  });

  it('regenerates them after a change, and removes them when the kind has a CRD again', async () => {
    const before = project.read(DOCUMENT);
    project.edit(kindFile, (text) => text.replace(/(interface \w+Spec \{\n)/, '$1  readonly added?: string;\n'));
    expect((await project.run('generate', '--check')).code).toBe(1);
    expect((await project.run('generate')).code).toBe(0);
    expect(project.read(DOCUMENT)).not.toBe(before);
    expect(project.read(DOCUMENT)).toContain('"added"');
    project.edit(kindFile, (text) => text.replace("  servedBy: 'aggregated',\n", ''));
    expect((await project.run('generate')).code).toBe(0);
    expect([APISERVICE, DOCUMENT, 'config/apiservice/kustomization.yaml'].map(has)).toEqual([false, false, false]);
    expect([CRD, SCHEMA].map(has)).toEqual([true, true]);
  });
});
