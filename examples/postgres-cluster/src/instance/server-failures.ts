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

/** A server that does not respond is killed after the renew deadline, but not earlier than this. */
const minSilenceMs = 5_000;

/** Reacts to a server that dies or hangs. A primary lets the operator choose another instance first. */
export class ServerFailures {
  readonly #options: ServerFailuresOptions;
  readonly #deaths = new ServerDeaths();
  /** The last death of the server as a primary, after which another instance may be chosen. */
  #yielding: { readonly untilMs: number; readonly targetPrimaryTime: string | undefined } | undefined;

  constructor(options: ServerFailuresOptions) {
    this.#options = options;
  }

  /** True for a while after the server died as a primary, until the operator has chosen. */
  get isYielding(): boolean {
    const { access, clock } = this.#options;
    if (!this.#yielding) return false;
    const hasChosen = access.cluster?.status?.targetPrimaryTime !== this.#yielding.targetPrimaryTime;
    if (hasChosen || clock.monotonic() >= this.#yielding.untilMs) this.#yielding = undefined;
    return this.#yielding !== undefined;
  }

  /** Notes that the server accepts connections. */
  accepts(): void {
    this.#deaths.accepts(this.#options.clock.monotonic());
  }

  /** After deaths, waits before the next start. */
  async beforeStart(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const ms = this.#deaths.notBeforeMs - clock.monotonic();
    if (ms > 0) await sleep(clock, { ms, signal });
    this.#deaths.started(clock.monotonic());
  }

  /** Releases the Lease of a primary whose server died, if others could take over. */
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

  /** Kills a server that has not responded for as long as a Lease is valid without renewal. Returns true if it did. */
  async endHanging(local: LocalInstance): Promise<boolean> {
    const { silentMs } = local;
    if (silentMs <= Math.max(this.#renewDeadlineMs, minSilenceMs)) return false;
    this.#options.log.error('killing the server, because it does not respond', { silentMs });
    await local.stop({ mode: 'immediate', withinMs: 0, why: 'the server does not respond' });
    return true;
  }

  get #renewDeadlineMs(): number {
    return (this.#options.access.cluster?.spec.lease?.renewDeadlineSeconds ?? 10) * 1000;
  }
}
