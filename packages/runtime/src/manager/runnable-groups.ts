import type { Runnable } from '../runnable/runnable.ts';
import { RunnableGroup } from './runnable-group.ts';

/** The runnables of a manager, in groups that start and stop at different times. */
export class RunnableGroups {
  /** Started before the caches, which need them. */
  readonly first: RunnableGroup;
  /** Started after the caches, on every replica. */
  readonly everywhere: RunnableGroup;
  /** Started for each term of leadership. */
  readonly leading: RunnableGroup;
  readonly #hasElection: boolean;

  constructor(
    options: ConstructorParameters<typeof RunnableGroup>[0],
    { hasElection }: { readonly hasElection: boolean },
  ) {
    this.first = new RunnableGroup(options);
    this.everywhere = new RunnableGroup(options);
    this.leading = new RunnableGroup(options);
    this.#hasElection = hasElection;
  }

  /** Returns the group of a runnable or controller. */
  of(runnable: Pick<Runnable, 'beforeCaches' | 'needLeaderElection'>): RunnableGroup {
    if (runnable.beforeCaches) return this.first;
    return this.#hasElection && runnable.needLeaderElection !== false ? this.leading : this.everywhere;
  }
}
