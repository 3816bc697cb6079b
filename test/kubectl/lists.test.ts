import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { expect, it } from 'vitest';
import { runKubectl } from './run-kubectl.ts';

const hasKubectl = process.env['KUBEWRIGHT_REQUIRE_ALL'] === '1' || spawnSync('kubectl', ['options']).status === 0;
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'b' } });

// OpenAPI v3 has no kind List, so kubectl validates the file with OpenAPI v2, which kubectl reads only as protobuf.
it.skipIf(!hasKubectl)('kubectl applies a List with several objects', async () => {
  const home = mkdtempSync(join(tmpdir(), 'kubewright-list-'));
  try {
    await using cluster = await EmbeddedCluster.start({ components: ['apiserver'] });
    const options = { kubeconfig: cluster.kubeconfig, home, folder: home, signal: AbortSignal.timeout(30_000) };
    const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [configMap('first'), configMap('second')] });
    const applied = await runKubectl({ command: 'apply -f -', stdin }, options);
    expect(applied).toEqual({ stdout: 'configmap/first created\nconfigmap/second created\n', stderr: '', exitCode: 0 });
  } finally {
    rmSync(home, { recursive: true });
  }
});
