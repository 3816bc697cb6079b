import type { Registry } from 'prom-client';

interface RegisteredMetric {
  registerIn(registry: Registry): void;
  removeController(name: string): void;
}

/** Collects metrics created before the registry exists. */
export class RegisteredMetrics {
  readonly #metrics: RegisteredMetric[] = [];
  #made: Registry | undefined;
  #making: Promise<Registry> | undefined;

  add<M extends RegisteredMetric>(metric: M): M {
    this.#metrics.push(metric);
    if (this.#made) metric.registerIn(this.#made);
    return metric;
  }

  removeController(name: string): void {
    for (const metric of this.#metrics) metric.removeController(name);
  }

  /** Created on first use. */
  registry(): Promise<Registry> {
    this.#making ??= this.#make();
    return this.#making;
  }

  async #make(): Promise<Registry> {
    const { Registry, collectDefaultMetrics } = await import('prom-client');
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    for (const metric of this.#metrics) metric.registerIn(registry);
    this.#made = registry;
    return registry;
  }
}
