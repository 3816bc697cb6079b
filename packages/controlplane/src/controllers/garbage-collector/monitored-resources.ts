import type { Clock } from '@kubewright/apimachinery';
import type { ApiResource, KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import { type MetadataSink, ResourceMonitor } from './resource-monitor.ts';

/** The dependencies that all monitors share. */
export interface MonitorParts {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Runs one monitor for each served resource that can be listed, watched and deleted. */
export class MonitoredResources {
  readonly #sink: MetadataSink;
  readonly #monitors = new Map<string, ResourceMonitor>();
  #stopped = false;

  constructor(sink: MetadataSink) {
    this.#sink = sink;
  }

  /** True once all resources are listed. Only then are all dependents of an object known. */
  get hasSynced(): boolean {
    return this.#monitors.size > 0 && [...this.#monitors.values()].every(({ hasSynced }) => hasSynced);
  }

  /** Starts and stops monitors to match the served resources. */
  async follow(resources: readonly ApiResource[], parts: MonitorParts): Promise<void> {
    if (this.#stopped) return;
    const wanted = new Map(monitorable(resources).map((each) => [`${each.plural}.${each.group}`, each]));
    const gone = new Map([...this.#monitors].filter(([name, { kind }]) => wanted.get(name)?.version !== kind.version));
    for (const name of gone.keys()) this.#monitors.delete(name);
    for (const [name, kind] of wanted) {
      if (this.#monitors.has(name)) continue;
      const monitor = new ResourceMonitor({ kind, sink: this.#sink, ...parts });
      this.#monitors.set(name, monitor);
      // If only the resource's version changed, its objects still exist, so the new monitor takes them over.
      monitor.start(gone.get(name));
    }
    await Promise.all([...gone].map(([name, monitor]) => this.#drop(monitor, { forget: !wanted.has(name) })));
  }

  async #drop(monitor: ResourceMonitor, { forget }: { readonly forget: boolean }): Promise<void> {
    const uids = await monitor.stop();
    if (forget) for (const uid of uids) this.#sink.remove(uid);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#monitors.values()].map((monitor) => monitor.stop()));
    this.#monitors.clear();
  }
}

/** Returns the preferred version of each resource that can be monitored. Skips events, which never own objects or have owners. */
function monitorable(resources: readonly ApiResource[]): readonly ApiResource[] {
  const seen = new Set<string>();
  return resources.filter(({ group, plural, verbs }) => {
    const name = `${plural}.${group}`;
    if (seen.has(name)) return false;
    seen.add(name);
    const isEvents = plural === 'events' && (group === '' || group === 'events.k8s.io');
    return !isEvents && ['delete', 'list', 'watch'].every((verb) => verbs.includes(verb));
  });
}
