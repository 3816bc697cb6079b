import * as crypto from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueCertificate, VirtualClock } from '@kubewright/apimachinery';
import type { KeyPair } from '@kubewright/apimachinery/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../log/silent-logger.ts';
import { CertificateError } from './certificate-error.ts';
import { certificateFiles } from './certificate-files.ts';
import { until } from './testdata/until.ts';

const life = { notBeforeMs: Date.UTC(2026, 0, 1), notAfterMs: Date.UTC(2040, 0, 1) };
const pair = (commonName: string): KeyPair =>
  issueCertificate({ subject: { commonName }, usage: 'server', hosts: ['localhost'], ...life }, crypto);

describe('certificateFiles', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kw-certificates-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  function run() {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const published: KeyPair[] = [];
    const counts = { reads: 0, failures: 0 };
    const metrics = { read: () => void counts.reads++, failed: () => void counts.failures++ };
    const publish = (each: KeyPair): void => void published.push(each);
    const parts = { clock, log: silentLogger, port: 0, converts: [], metrics, publish };
    const running = certificateFiles({ directory }).run(parts, stop.signal);
    return { clock, published, counts, running, stop };
  }

  /** Mounts a Secret like the kubelet: files are links through `..data`, which is swapped atomically. */
  async function mount(version: string, { key, certificate }: KeyPair): Promise<void> {
    await mkdir(join(directory, version));
    await writeFile(join(directory, version, 'tls.crt'), certificate);
    await writeFile(join(directory, version, 'tls.key'), key);
    await symlink(version, join(directory, '..data_tmp'));
    await rename(join(directory, '..data_tmp'), join(directory, '..data'));
    for (const name of ['tls.crt', 'tls.key'])
      await symlink(join('..data', name), join(directory, name)).catch(() => {
        // Already linked.
      });
  }

  it('notices a renewed Secret behind its symbolic links, and counts its reads', async () => {
    const [first, second] = [pair('first'), pair('second')];
    await mount('..1', first);
    const { clock, published, counts, running, stop } = run();
    await until(() => published.length === 1 && clock.pendingTimers === 1);
    expect(published).toEqual([first]);
    await clock.advance(10_000);
    await until(() => counts.reads === 2 && clock.pendingTimers === 1);
    expect(published).toHaveLength(1);
    await mount('..2', second);
    await clock.advance(10_000);
    await until(() => published.length === 2);
    expect(published[1]).toEqual(second);
    stop.abort();
    await running;
    expect(counts).toEqual({ reads: 3, failures: 0 });
  });

  it('keeps the working pair while the new pair does not match or is missing', async () => {
    const [first, second] = [pair('first'), pair('second')];
    await mount('..1', first);
    const { clock, published, counts, stop, running } = run();
    await until(() => published.length === 1 && clock.pendingTimers === 1);
    await mount('..2', { key: first.key, certificate: second.certificate });
    await clock.advance(10_000);
    await until(() => counts.failures === 1 && clock.pendingTimers === 1);
    await rm(join(directory, 'tls.crt'));
    await clock.advance(10_000);
    await until(() => counts.failures === 2 && clock.pendingTimers === 1);
    expect(published).toEqual([first]);
    stop.abort();
    await running;
  });

  it('reports at startup what is missing and how to fix it', async () => {
    const error: unknown = await run().running.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CertificateError);
    expect((error as Error).message).toContain(join(directory, 'tls.'));
    expect((error as Error).message).toContain('ownAuthority()');
  });
});
