import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@kubewright/apimachinery';
import { openDiskStorage } from '@kubewright/apiserver';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EmbeddedCluster } from './embedded-cluster.ts';
import type { EmbeddedClusterOptions } from './embedded-cluster-options.ts';

describe('EmbeddedCluster that cannot start', () => {
  let folder: string;
  let temporary: string;
  let taken: Server;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kw-failed-'));
    temporary = mkdtempSync(join(tmpdir(), 't-'));
    // The containers' users must be able to enter the folder.
    chmodSync(temporary, 0o711);
    vi.stubEnv('TMPDIR', temporary);
    taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await new Promise((resolve) => taken.close(resolve));
    for (const path of [folder, temporary]) rmSync(path, { recursive: true, force: true });
  });

  const faults: readonly (readonly [string, () => Partial<EmbeddedClusterOptions>, RegExp])[] = [
    [
      'its port is taken',
      () => ({ port: (taken.address() as { port: number }).port }),
      /^the API server cannot listen on /,
    ],
    ['its storage is full', () => ({ limits: { storageBytes: 1 } }), /^the storage is full/],
    [
      'its certificates cannot be written',
      () => {
        writeFileSync(join(folder, 'certificates'), 'not a folder');
        return {};
      },
      /^cannot store the cluster's keys in /,
    ],
  ];

  it.each(faults)('releases its objects and removes its temporary folders if %s', async (_, fault, reason) => {
    const options = { directory: folder, ...fault() };
    await expect(EmbeddedCluster.start({ ...options, node: {} })).rejects.toThrow(reason);
    expect(readdirSync(temporary)).toEqual([]);
    const data = join(folder, 'data');
    await expect(EmbeddedCluster.start({ ...options, data })).rejects.toThrow(reason);
    await using storage = await openDiskStorage({ directory: data, clock: systemClock });
    expect(await storage.revision()).toBeGreaterThan(0);
  });
});
