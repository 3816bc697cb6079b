import { type Clock, sleep } from '@kubewright/apimachinery';
import type { Logger } from '@kubewright/runtime';
import type { ClusterAccess } from './cluster/cluster-access.ts';
import type { PrimaryLease } from './lease/primary-lease.ts';
import type { LocalInstance } from './local-instance.ts';
import type { ServerDeath } from './server/postgres-server.ts';
import { ServerDeaths } from './server/server-deaths.ts';

export interface ServerFailuresOptions {
  /** Name of this instance. */
  readonly name: string;
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * A server is unresponsive if it accepts no connection for this long. A slow disk delays queries, but must not stop the
 * server.
 */
const maxUnresponsiveMs = 30_000;
/**
 * A server whose disk hangs still accepts connections, but completes no query. Without a limit, failover would never
 * start.
 */
const maxStalledMs = 180_000;
/** Time to stop before the server is killed. Longer than the five seconds after which PostgreSQL kills its own processes. */
const immediateStopMs = 10_000;

/**
 * Handles a server that dies or hangs. After a primary's server has died, the operator can choose another instance
 * before the restart.
 */
export class ServerFailures {
  readonly #options: ServerFailuresOptions;
  readonly #deaths = new ServerDeaths();
  /** Set after the server died as a primary, while the operator may choose another instance. */
  #yielding: { readonly untilMs: number; readonly targetPrimaryTime: string | undefined } | undefined;

  constructor(options: ServerFailuresOptions) {
    this.#options = options;
  }

  /** True after the server died as a primary, until the operator has chosen or the wait has timed out. */
  get isYielding(): boolean {
    const { access, clock } = this.#options;
    if (!this.#yielding) return false;
    const hasChosen = access.cluster?.status?.targetPrimaryTime !== this.#yielding.targetPrimaryTime;
    if (hasChosen || clock.monotonic() >= this.#yielding.untilMs) this.#yielding = undefined;
    return this.#yielding !== undefined;
  }

  /** Called when the server accepts connections. */
  accepts(): void {
    this.#deaths.accepts(this.#options.clock.monotonic());
  }

  /** Waits before the next start if the server has died repeatedly. */
  async beforeStart(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const ms = this.#deaths.notBeforeMs - clock.monotonic();
    if (ms > 0) await sleep(clock, { ms, signal });
    this.#deaths.started(clock.monotonic());
  }

  /** Called when the server died. A primary releases the Lease if another instance could take over. */
  async died({ why, output }: ServerDeath, lease: PrimaryLease): Promise<void> {
    const { name, access, clock, log } = this.#options;
    const { spec, status } = access.cluster ?? {};
    log.error('the server died', { why, output: output.slice(-3) });
    const failingMs = this.#deaths.died(clock.monotonic());
    const hasOthers = access.othersOf(name).length > 0;
    const delayMs = (spec?.replication?.failoverDelaySeconds ?? 0) * 1000;
    if (!lease.isHeld || !hasOthers || failingMs < delayMs) return;
    const untilMs = clock.monotonic() + this.#renewDeadlineMs;
    this.#yielding = { untilMs, targetPrimaryTime: status?.targetPrimaryTime };
    await lease.release();
  }

  /** Stops a server that does not respond, and kills it if necessary. Returns false if the server responds. */
  async endHanging(local: LocalInstance): Promise<boolean> {
    const { unresponsiveMs, stalledMs } = local;
    if (unresponsiveMs <= maxUnresponsiveMs && stalledMs <= maxStalledMs) return false;
    this.#options.log.error('stopping the unresponsive server', { unresponsiveMs, stalledMs });
    await local.stop({ mode: 'immediate', withinMs: immediateStopMs, why: 'the server does not respond' });
    return true;
  }

  get #renewDeadlineMs(): number {
    return (this.#options.access.cluster?.spec.lease?.renewDeadlineSeconds ?? 10) * 1000;
  }
}
