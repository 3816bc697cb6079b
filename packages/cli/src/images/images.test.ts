import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestImage } from '../../../controlplane/src/images/registry/testdata/test-image.ts';
import { TestRegistry } from '../../../controlplane/src/images/registry/testdata/test-registry.ts';
import { tarOf } from '../../../controlplane/src/images/testdata/image-archive.ts';
import type { Context } from '../program/context.ts';
import { cliEnvironment } from '../program/process-environment.ts';
import { Reporter } from '../program/reporter.ts';
import { list } from './list.ts';
import { importRoot } from './load.ts';
import { prune } from './prune.ts';
import { pull } from './pull.ts';

describe('images', () => {
  let folder: string;
  let output: string;
  let context: Context;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kw-images-'));
    output = '';
    const stdout = { write: (text: string) => (output += text) };
    const environment = { ...cliEnvironment(), cwd: folder, env: { XDG_DATA_HOME: folder } };
    const reporter = new Reporter({ stdout, stderr: stdout, json: false, colors: false });
    context = { environment, reporter, exitWith: () => undefined };
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('are imported, listed and pruned', async () => {
    await list(context);
    expect(output).toBe('this machine has no images\n');
    mkdirSync(join(folder, 'root'));
    writeFileSync(join(folder, 'root', 'file'), 'content');
    tarOf(join(folder, 'root'), join(folder, 'root.tar'));
    await importRoot(context, { archive: 'root.tar', name: 'team/app:1' });
    output = '';
    await list(context);
    expect(output).toMatch(/^IMAGE +DIGEST +SIZE\ndocker\.io\/team\/app:1 {2}[0-9a-f]{12} {2}10\.2 kB\n$/);
    output = '';
    await prune(context, { all: true });
    expect(output).toMatch(/^removed 1 image, 10\.\d kB\n$/);
  });

  it('are pulled from a registry', async () => {
    using image = new TestImage(['one', 'two']);
    await using registry = await TestRegistry.start();
    registry.addLayout(image.layout, { repository: 'team/app', tag: 'latest' });
    await pull(context, { image: `${registry.host}/team/app`, plainHttp: true });
    const digest = '[0-9a-f]{12}';
    const layer = `✓ layer {16}${digest} 0\\.\\d kB\n`;
    const pulled = `✓ pulled {15}${registry.host}/team/app:latest\n`;
    expect(output).toMatch(new RegExp(`^(?:${layer}){2}${pulled}$`));
    output = '';
    await list(context);
    expect(output).toContain(`${registry.host}/team/app:latest`);
  });
});
