import type { Clock } from '@kubewright/apimachinery';
import type { LocalData } from './local-data.ts';
import type { UpstreamConnections } from './server/upstream-connections.ts';
import type { LocalStatus } from './sql/local-status.ts';
import { dropSlots } from './sql/primary-duties.ts';
import type { Sql } from './sql/sql-session.ts';

export interface StandbyUpkeepOptions {
  readonly clock: Clock;
  readonly data: LocalData;
  readonly connections: UpstreamConnections;
  readonly sql: Sql;
}

/** Time for which a standby may be without a stream before it looks for the reason. */
const checkMs = 2_000;
const slotsMs = 30_000;

/**
 * The periodic work of a standby: it drops slots that only a primary needs, and if it does not receive WAL, looks for the reason.
 */
export class StandbyUpkeep {
  readonly #options: StandbyUpkeepOptions;
  #checkedAtMs = 0;
  #slotsAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: StandbyUpkeepOptions) {
    this.#options = options;
  }

  /** Called when the server starts as a standby. */
  started(): void {
    this.#checkedAtMs = this.#options.clock.monotonic();
    this.#slotsAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Does the work that is due on a standby of `upstream`. */
  async run(status: LocalStatus, { upstream }: { readonly upstream: string | undefined }): Promise<void> {
    const { clock, data, connections, sql } = this.#options;
    const now = clock.monotonic();
    if (now - this.#slotsAtMs >= slotsMs) {
      this.#slotsAtMs = now;
      await dropSlots(sql, { kept: [] });
    }
    if (status.isReceiving || upstream === undefined) this.#checkedAtMs = now;
    if (now - this.#checkedAtMs < checkMs || upstream === undefined) return;
    this.#checkedAtMs = now;
    await connections.createSlot(upstream);
    await data.canStreamFrom(upstream, { status, sql });
  }
}
