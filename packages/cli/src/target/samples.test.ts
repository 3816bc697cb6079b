import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, systemClock } from '@kubewright/apimachinery';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { inMemoryServer } from '@kubewright/controlplane/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Target } from './apply-objects.ts';
import { applySamples } from './samples.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kw-samples-'));
  mkdirSync(join(root, 'config/samples'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function sample(file: string, { kind = 'ConfigMap', name }: { readonly kind?: string; readonly name: string }): void {
  writeFileSync(join(root, 'config/samples', file), `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n`);
}

async function target(): Promise<Target> {
  const client = await inMemoryServer({ clock: systemClock, random: seededRandom(1) });
  return { client, environment: { clock: systemClock, signal: new AbortController().signal } };
}

describe('applySamples', () => {
  const project = () => ({ project: { root, name: 'shop', domain: 'example.com', certificates: 'own' } }) as const;

  it('names the file of a sample that the server rejects', async () => {
    sample('a.yaml', { name: 'right' });
    sample('b.yaml', { name: 'Wrong_Name' });
    const cluster = await target();
    await expect(applySamples(cluster, project())).rejects.toMatchObject({
      code: 'KW7306',
      text: { what: 'cannot apply the sample config/samples/b.yaml', why: expect.stringContaining('Wrong_Name') },
    });
    await cluster.client.resource(ConfigMap).get({ name: 'right', namespace: 'default' });
  });

  it('names the file of a sample whose kind the server does not serve', async () => {
    sample('a.yaml', { kind: 'ConfigMop', name: 'one' });
    await expect(applySamples(await target(), project())).rejects.toMatchObject({
      code: 'KW7305',
      text: { what: 'cannot apply the sample config/samples/a.yaml', why: expect.stringContaining('ConfigMop of v1') },
    });
  });
});
