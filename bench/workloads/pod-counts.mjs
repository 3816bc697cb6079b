import { Pod, ServiceAccount } from '@kubewright/apimachinery/core/v1';

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for the default service account, which is required to create pods. */
export async function accountExists(client) {
  const exists = () =>
    client
      .resource(ServiceAccount)
      .get({ namespace: 'default', name: 'default' })
      .then(
        () => true,
        () => false,
      );
  while (!(await exists())) await pause(20);
}

/** Counts a namespace's bound pods and ready pods, using one watch. */
export class PodCounts {
  /** `performance.now()` of each binding of a pod to a node. */
  boundAt = [];
  #bound = new Set();
  /** Image of each ready pod, by UID. */
  #ready = new Map();
  #stop = new AbortController();

  constructor(client, namespace) {
    this.#follow(client, namespace).catch((error) => {
      if (!this.#stop.signal.aborted) process.stderr.write(`the watch of pods failed: ${error}\n`);
    });
  }

  get bound() {
    return this.#bound.size;
  }

  get ready() {
    return this.#ready.size;
  }

  /** Returns the number of ready pods whose first container has this image. */
  readyWith(image) {
    return [...this.#ready.values()].filter((each) => each === image).length;
  }

  /** Waits for a condition; reports progress every 5 s. */
  async until(holds, { limitMs, sample = () => undefined }) {
    const startedAt = performance.now();
    let shownAt = startedAt;
    while (!holds()) {
      const now = performance.now();
      if (now - startedAt > limitMs) {
        throw new Error(`${this.bound} pods bound and ${this.ready} ready after ${Math.round(limitMs / 1_000)} s`);
      }
      if (now - shownAt > 5_000) {
        shownAt = now;
        process.stderr.write(`${this.bound} pods bound, ${this.ready} ready\n`);
      }
      sample();
      await pause(10);
    }
    return (performance.now() - startedAt) / 1_000;
  }

  stop() {
    this.#stop.abort();
  }

  async #follow(client, namespace) {
    for await (const { type, object } of client.resource(Pod).watch({ namespace, signal: this.#stop.signal })) {
      if (type === 'DELETED') this.#ready.delete(object.metadata.uid);
      if (type !== 'ADDED' && type !== 'MODIFIED') continue;
      const { metadata, spec, status } = object;
      if (spec?.nodeName && !this.#bound.has(metadata.uid)) {
        this.#bound.add(metadata.uid);
        this.boundAt.push(performance.now());
      }
      const isReady = status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True');
      if (isReady) this.#ready.set(metadata.uid, spec.containers[0].image);
      else this.#ready.delete(metadata.uid);
    }
  }
}
