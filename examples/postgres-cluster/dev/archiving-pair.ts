import { readdirSync } from 'node:fs';
import { expect, vi } from 'vitest';
import type { PostgresClusterSpec } from '../src/api/v1/postgres-cluster.ts';
import { InstanceCluster, type RunningInstance } from './instance-cluster.ts';
import { PostgresFolder } from './postgres-server.ts';

const patience = { timeout: 90_000, interval: 50 };

/** The primary `shop-1` and the standby `shop-2`, which archive to the same directory. */
export class ArchivingPair implements AsyncDisposable {
  readonly cluster: InstanceCluster;
  readonly folder: PostgresFolder;
  /** The directory of the archive. */
  readonly archive: string;

  private constructor(cluster: InstanceCluster, { folder, archive }: { folder: PostgresFolder; archive: string }) {
    this.cluster = cluster;
    this.folder = folder;
    this.archive = archive;
  }

  /** Starts both instances, and waits until the standby streams. */
  static async start(spec: Partial<PostgresClusterSpec> = {}): Promise<ArchivingPair> {
    const folder = new PostgresFolder();
    const archive = folder.make('archive');
    const backup = { volume: { claimName: 'archive' } };
    const cluster = await InstanceCluster.start(
      { ...spec, backup, parameters: { archive_timeout: '1s', ...spec.parameters } },
      { archive },
    );
    await cluster.setTarget('shop-1');
    for (const name of ['shop-1', 'shop-2']) await cluster.add(name);
    const pair = new ArchivingPair(cluster, { folder, archive });
    await vi.waitFor(async () => expect((await pair.standby.report())?.isReceiving).toBe(true), patience);
    return pair;
  }

  get primary(): RunningInstance {
    return this.cluster.instance('shop-1');
  }

  get standby(): RunningInstance {
    return this.cluster.instance('shop-2');
  }

  /** Returns the paths of the files in the archive. */
  archivedFiles(): readonly string[] {
    return readdirSync(this.archive, { recursive: true, encoding: 'utf8' });
  }

  /**
   * Kills the primary's server. Once the standby receives no more WAL, makes the standby the target, as the operator
   * does.
   */
  async failOver(): Promise<void> {
    const { cluster, primary, standby } = this;
    primary.killServer();
    await expect.poll(async () => (await cluster.lease()).holderIdentity, patience).toBe('');
    await cluster.setTarget('');
    await expect.poll(async () => (await standby.report())?.isReceiving, patience).toBe(false);
    await cluster.setTarget('shop-2');
    await expect.poll(async () => (await cluster.status()).currentPrimary, patience).toBe('shop-2');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
    this.folder[Symbol.dispose]();
  }
}
