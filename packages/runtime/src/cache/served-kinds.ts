import type { Clock, Kind, KubernetesObject } from '@kubewright/apimachinery';
import type { ApiGroup, DiscoveryClient } from '@kubewright/client';

/** Who asks within this time is answered from one reading, in milliseconds. */
const sharedMs = 1_000;

/** What {@link ServedKinds} asks. */
export interface ServedKindsOptions {
  readonly discovery: Pick<DiscoveryClient, 'groups' | 'invalidate'>;
  readonly clock: Clock;
}

/** Asks discovery whether a kind is gone. All who wonder at one time share one reading. */
export class ServedKinds {
  readonly #options: ServedKindsOptions;
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(options: ServedKindsOptions) {
    this.#options = options;
  }

  /** True when discovery answers as an API server's does and has no such kind; false too where it does not answer. */
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
      // No answer says nothing about kinds.
      return false;
    }
  }
}

/** Every API server has the core group and some named ones; what answers without is something else in its place. */
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
      // A group whose own server does not answer may have anything.
      (stale || resources.some((each) => each.plural === kind.plural || each.kind === kind.kind)),
  );
}
