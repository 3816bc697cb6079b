import type { IncomingMessage, ServerResponse } from 'node:http';
import { clusterMetrics } from './cluster-metrics.ts';
import { type ClusterState, clusterSamples } from './cluster-samples.ts';
import { exposition, expositionType } from './exposition.ts';
import type { Sample } from './metric.ts';

/** Path on the operator's metrics server, which serves everything below `/metrics` itself. */
export const clusterMetricsPath = '/cluster-metrics';

/** Keeps the metrics of all clusters, as of the last reconcile, and serves them. */
export class ObservedClusters {
  readonly #samples = new Map<string, readonly Sample[]>();

  record(state: ClusterState): void {
    this.#samples.set(keyOf({ namespace: state.namespace, name: state.observed.name }), clusterSamples(state));
  }

  /** Removes the metrics of a deleted cluster. */
  forget(cluster: { readonly namespace?: string | undefined; readonly name: string }): void {
    this.#samples.delete(keyOf(cluster));
  }

  /** Returns the metrics in Prometheus's text format. */
  text(): string {
    return exposition(clusterMetrics, [...this.#samples.values()].flat());
  }

  /** Responds to a scrape. */
  serve(_request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': expositionType }).end(this.text());
  }
}

function keyOf({ namespace = '', name }: { readonly namespace?: string | undefined; readonly name: string }): string {
  return `${namespace}/${name}`;
}
