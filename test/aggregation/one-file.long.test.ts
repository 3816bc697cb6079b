import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CliProject, cliProject } from '../cli/cli-project.ts';
import { CommandLine } from '../cli/command-line.ts';
import { page } from '../docs/pages.ts';
import { build } from '../main-job/repository.ts';

// Starts a compiler, a cluster and an operator.
vi.setConfig({ testTimeout: 240_000 });

describe('the API server in one file, on the page about API servers', () => {
  let kubewright: CommandLine;
  let project: CliProject;
  beforeAll(async () => {
    await build();
    kubewright = await CommandLine.build();
    project = await cliProject(kubewright, 'wells', '--template', 'empty');
  }, 240_000);
  afterAll(() => kubewright?.[Symbol.dispose]());

  const program = page('docs/how-to/aggregated-api.md').blocks[0]?.text ?? '';

  it('has at most 25 lines', () => {
    expect(program).toContain('apiServer({ kinds: [Well]');
    expect(program.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(25);
  });

  it('becomes ready behind the cluster, and stores a well', async () => {
    project.edit('src/main.ts', () => program);
    mkdirSync(join(project.root, 'config/samples'), { recursive: true });
    const spec = { depth: 12 };
    const garden = { apiVersion: 'wells.example.com/v1', kind: 'Well', metadata: { name: 'garden' }, spec };
    writeFileSync(join(project.root, 'config/samples/wells_v1_well.yaml'), JSON.stringify(garden));
    expect(await project.run('generate')).toMatchObject({ code: 0, stderr: '' });
    const { code, stdout, stderr } = await project.run('dev', '--ci', '--no-type-check');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/ready +Well garden\n/);
  });
});
