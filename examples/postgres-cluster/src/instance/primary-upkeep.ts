import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@kubewright/apimachinery';
import type { Logger } from '@kubewright/runtime';
import { databaseOf } from '../spec/credentials.ts';
import type { ClusterAccess } from './cluster/cluster-access.ts';
import type { InstanceEnvironment } from './environment.ts';
import { defaultSegmentBytes, diskSpace } from './server/disk-space.ts';
import { storageBytes } from './settings/storage-bytes.ts';
import type { LocalStatus } from './sql/local-status.ts';
import {
  createApplicationDatabase,
  createOperatorRole,
  createReplicationRole,
  dropRetainingSlots,
  dropSlots,
} from './sql/primary-duties.ts';
import { RolePassword } from './sql/role-password.ts';
import { type Sql, SqlSession } from './sql/sql-session.ts';

export interface PrimaryUpkeepOptions {
  readonly environment: InstanceEnvironment;
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sql: Sql;
}

const slotsMs = 30_000;
/** Free space is low if it is less than this share of the volume and less than the size below. */
const shortShare = 1 / 16;
const mostShortBytes = 2 ** 30;
/**
 * Maximum age of the list of instances. Longer than the interval between two lists, shorter than a new instance's first
 * start.
 */
const recentMs = 20_000;

/**
 * The periodic work of a primary: it reports that it is the primary, creates roles and the first database, keeps the
 * passwords of the superuser and of the database's owner, and drops old slots.
 */
export class PrimaryUpkeep {
  readonly #options: PrimaryUpkeepOptions;
  readonly #superuser = new RolePassword();
  readonly #owner = new RolePassword();
  #slotsAtMs = Number.NEGATIVE_INFINITY;
  #hasRoles = false;

  constructor(options: PrimaryUpkeepOptions) {
    this.#options = options;
  }

  /** Called when the server starts as a primary. */
  started(): void {
    this.#hasRoles = false;
    this.#slotsAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Called after the server has been promoted. Keeps the slots for a while, because replicas are about to connect. */
  promoted(): void {
    const { clock, log } = this.#options;
    this.#hasRoles = false;
    this.#slotsAtMs = clock.monotonic();
    // pg_rewind reads the timeline from the last checkpoint, so a checkpoint is needed now. It can take a long time, so
    // it has its own connection.
    void this.#checkpoint().catch((error: unknown) => log.warn('cannot write a checkpoint', { error }));
  }

  /** Does the work that is due. */
  async run(
    { timeline }: LocalStatus,
    { systemID, signal }: { readonly systemID: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const { access, environment, sql, clock, log } = this.#options;
    const { status = {} } = access.cluster ?? {};
    const { name } = environment;
    if (status.targetPrimary !== name) return;
    const isReported = status.currentPrimary === name && status.timeline === timeline && status.systemID !== undefined;
    // Data from an older operator, or from a backup, may lack these roles.
    if (!this.#hasRoles) {
      await createReplicationRole(sql);
      await createOperatorRole(sql);
      this.#hasRoles = true;
    }
    if (!isReported) {
      if (status.systemID === undefined) await this.#createDatabase();
      await access.reportPrimary({ currentPrimary: name, timeline, systemID }, signal);
    }
    await this.#keepPasswords();
    // While the API server is unreachable, an unknown instance may exist. Its slot must stay, because the slot retains
    // WAL for the instance, and reveals the instance to the failsafe check.
    if (!access.wasReadWithin(recentMs) || status.instanceStatuses === undefined) return;
    if (clock.monotonic() - this.#slotsAtMs < slotsMs) return;
    this.#slotsAtMs = clock.monotonic();
    await dropSlots(sql, { kept: access.othersOf(name) });
    // An absent replica can be cloned again, but a full volume stops the primary.
    const dropped = (await this.#isShortOfSpace()) ? await dropRetainingSlots(sql, minRetainedBytes) : [];
    if (dropped.length > 0)
      log.warn('the volume is almost full: dropped slots that retained WAL for replicas that are not connected', {
        dropped,
      });
  }

  async #createDatabase(): Promise<void> {
    const { access, environment, sql } = this.#options;
    if (!access.cluster) return;
    const { database: name, owner } = databaseOf(access.cluster);
    const password = (await readFile(join(environment.appCredentials, 'password'), 'utf8')).trim();
    await createApplicationDatabase(sql, { name, owner, password });
  }

  async #keepPasswords(): Promise<void> {
    const { access, environment, sql } = this.#options;
    if (!access.cluster) return;
    const isAllowed = access.cluster.spec.superuserAccess === true;
    const folder = environment.superuserCredentials;
    const password = isAllowed && folder !== '' ? await passwordIn(folder) : undefined;
    await this.#superuser.keep(sql, { role: 'postgres', isAllowed, password });
    const { owner: role } = databaseOf(access.cluster);
    if (role === 'postgres') return;
    const owned = await passwordIn(environment.appCredentials);
    await this.#owner.keep(sql, { role, isAllowed: true, password: owned });
  }

  async #isShortOfSpace(): Promise<boolean> {
    const { access, environment } = this.#options;
    const { freeBytes } = await diskSpace(environment.dataDirectory);
    return freeBytes < Math.min(storageBytes(access.cluster) * shortShare, mostShortBytes);
  }

  async #checkpoint(): Promise<void> {
    const { socketDirectory: host } = this.#options.environment;
    await using sql = new SqlSession({ host, user: 'postgres', database: 'postgres', query_timeout: 0 });
    await sql.query('CHECKPOINT');
  }
}

/** Returns the password in a mounted Secret, or undefined until the kubelet has written it. */
async function passwordIn(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, 'password'), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
} /** On an almost full volume, only slots that retain more WAL than this are dropped: other slots would free little space. */
const minRetainedBytes = 2 * defaultSegmentBytes;
