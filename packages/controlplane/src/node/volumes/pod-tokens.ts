import type { Clock } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { PodObjects } from '../pod/pod-host.ts';

interface Kept {
  readonly token: string;
  readonly refreshAtMs: number;
}

/** The service account tokens of one pod, each renewed at 80% of its lifetime or after a day. */
export class PodTokens {
  readonly #clock: Clock;
  readonly #objects: PodObjects;
  readonly #kept = new Map<string, Kept>();

  constructor(options: { readonly clock: Clock; readonly objects: PodObjects }) {
    this.#clock = options.clock;
    this.#objects = options.objects;
  }

  /** The earliest time at which a token must be renewed. */
  get refreshAtMs(): number | undefined {
    const times = [...this.#kept.values()].map(({ refreshAtMs }) => refreshAtMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  async get(
    pod: Pod,
    projection: { readonly audience?: string; readonly expirationSeconds?: number },
  ): Promise<string> {
    const { audience, expirationSeconds = 3600 } = projection;
    const key = JSON.stringify([audience, expirationSeconds]);
    const now = this.#clock.now();
    const kept = this.#kept.get(key);
    if (kept && kept.refreshAtMs > now) return kept.token;
    const { token, expiresAtMs } = await this.#objects.token(pod, { audience, expirationSeconds });
    const lifeMs = Math.max(expiresAtMs - now, 0);
    this.#kept.set(key, { token, refreshAtMs: now + Math.min(lifeMs * 0.8, 24 * 3_600_000) });
    return token;
  }
}
