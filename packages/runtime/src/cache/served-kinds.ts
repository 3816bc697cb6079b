import type { Clock, Kind, KubernetesObject } from '@kubewright/apimachinery';
import type { DiscoveryClient } from '@kubewright/client';
import type { ApiGroup } from '@kubewright/client/internal';

/** Time in milliseconds within which queries share one discovery result. */
const sharedMs = 1_000;

/** Options for {@link ServedKinds}. */
export interface ServedKindsOptions {
  readonly discovery: Pick<DiscoveryClient, 'groups' | 'invalidate'>;
  readonly clock: Clock;
}

/** Checks with discovery whether a kind is no longer served. Concurrent checks share one result. */
export class ServedKinds {
  readonly #options: ServedKindsOptions;
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(options: ServedKindsOptions) {
    this.#options = options;
  }

  /** Reports whether a complete discovery result lacks the kind; false if discovery fails or is incomplete. */
  async isAbsent(kind: Kind<KubernetesObject>, signal: AbortSignal): Promise<boolean> {
    const { discovery, clock } = this.#options;
    const now = clock.monotonic();
    if (now - this.#readMs >= sharedMs) {
      this.#readMs = now;
      discovery.invalidate();
    }
    try {
      const groups = await discovery.groups({ signal });
      return isWhole(groups) && !mayServe(groups, kind);
    } catch {
      // A failed query does not show whether a kind is served.
      return false;
    }
  }
}

/**
 * Reports whether the groups are a complete result. Every API server has the core group and some named groups; a
 * response without these groups does not come from an API server.
 */
function isWhole(groups: readonly ApiGroup[]): boolean {
  const core = groups.find(({ name }) => name === '');
  const hasCore = core?.versions.some(({ stale, resources }) => !stale && resources.length > 0) ?? false;
  return hasCore && groups.some(({ name }) => name !== '');
}

function mayServe(groups: readonly ApiGroup[], kind: Kind<KubernetesObject>): boolean {
  const versions = groups.filter(({ name }) => name === kind.group).flatMap((group) => group.versions);
  return versions.some(
    ({ version, stale, resources }) =>
      version === kind.version &&
      // A group whose aggregated server does not respond may serve any kind.
      (stale || resources.some((each) => each.plural === kind.plural || each.kind === kind.kind)),
  );
}
