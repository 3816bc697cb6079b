import type { Clock, KubernetesObject, Scope } from '@kubewright/apimachinery';
import { formatTime } from '@kubewright/apimachinery/internal';
import type { ResourceDefinition } from '@kubewright/apiserver';
import type { ReadObject } from '@kubewright/apiserver/internal';
import type { ContainerUsage, NodeUsage } from '../pods/node-connector.ts';
import { type UsageRate, UsageRates } from './usage-rates.ts';

const group = 'metrics.k8s.io';
const version = 'v1beta1';

export interface ResourceMetricsOptions {
  /** Returns the usage of containers on all nodes. */
  readonly usage: () => Promise<readonly NodeUsage[]>;
  /** Reads the labels of nodes and pods. */
  readonly read: ReadObject;
  readonly clock: Clock;
}

/** A container's usage and its average since an earlier request. */
interface MeasuredContainer extends ContainerUsage, UsageRate {}

interface Metrics extends KubernetesObject {
  readonly usage?: Readonly<Record<string, string>>;
  readonly containers?: readonly { readonly usage: Readonly<Record<string, string>> }[];
  readonly window?: string;
}

/**
 * Defines the group `metrics.k8s.io`, from which `kubectl top` and autoscalers read the usage of nodes and pods. Objects and
 * columns match metrics-server's. Each request queries the nodes.
 */
export function resourceMetrics(options: ResourceMetricsOptions): readonly ResourceDefinition[] {
  const server = new MetricsServer(options);
  return [
    {
      ...definition({ resource: 'nodes', kind: 'NodeMetrics', scope: 'Cluster' }),
      computed: {
        get: async ({ name }) => (await server.nodes()).find(({ metadata }) => metadata.name === name),
        list: () => server.nodes(),
      },
    },
    {
      ...definition({ resource: 'pods', kind: 'PodMetrics', scope: 'Namespaced' }),
      computed: {
        get: async ({ namespace, name }) =>
          (await server.pods(namespace)).find(({ metadata }) => metadata.name === name),
        list: ({ namespace }) => server.pods(namespace),
      },
    },
  ];
}

class MetricsServer {
  readonly #options: ResourceMetricsOptions;
  readonly #rates = new UsageRates();

  constructor(options: ResourceMetricsOptions) {
    this.#options = options;
  }

  async nodes(): Promise<readonly Metrics[]> {
    const nodes = await this.#options.usage();
    const metrics = nodes.map(async ({ name, own, pods }): Promise<Metrics> => {
      const containers = [...pods.flatMap((pod) => pod.containers), ...(own ? [own] : [])];
      const measured = containers.map((container) => this.#measured(container));
      const labels = await this.#labels({ resource: 'nodes', name });
      return { ...this.#head('NodeMetrics', { name, labels, measured }), usage: sumOf(measured) };
    });
    return (await Promise.all(metrics)).sort(byName);
  }

  /** Returns the usage of pods. @param namespace - empty for all namespaces. */
  async pods(namespace: string): Promise<readonly Metrics[]> {
    const pods = (await this.#options.usage()).flatMap((node) => node.pods);
    const wanted = pods.filter((pod) => pod.containers.length > 0 && (namespace === '' || pod.namespace === namespace));
    const metrics = wanted.map(async ({ name, namespace: where, containers }): Promise<Metrics> => {
      const measured = containers.map((container) => this.#measured(container));
      const labels = await this.#labels({ resource: 'pods', namespace: where, name });
      return {
        ...this.#head('PodMetrics', { name, namespace: where, labels, measured }),
        containers: measured.map((each) => ({ name: each.name, usage: sumOf([each]) })),
      };
    });
    return (await Promise.all(metrics)).sort(byName);
  }

  #measured(usage: ContainerUsage): MeasuredContainer {
    return { ...usage, ...this.#rates.rate(usage) };
  }

  async #labels(of: {
    readonly resource: string;
    readonly namespace?: string;
    readonly name: string;
  }): Promise<Readonly<Record<string, string>> | undefined> {
    return (await this.#options.read({ group: '', ...of }))?.metadata.labels;
  }

  #head(
    kind: string,
    of: {
      readonly name: string;
      readonly namespace?: string;
      readonly labels: Readonly<Record<string, string>> | undefined;
      readonly measured: readonly MeasuredContainer[];
    },
  ): Metrics & { readonly timestamp: string } {
    const { name, namespace, labels, measured } = of;
    const now = formatTime(this.#options.clock.now());
    const windowMs = Math.max(0, ...measured.map((each) => each.windowMs));
    const metadata = { name, creationTimestamp: now };
    return {
      kind,
      apiVersion: `${group}/${version}`,
      metadata: Object.assign(metadata, namespace !== undefined && { namespace }, labels && { labels }),
      timestamp: now,
      window: `${Math.round(windowMs) / 1_000}s`,
    };
  }
}

/** Returns the total usage of containers in metrics-server's format: nanocores, and memory in KiB if it is a whole number of KiB. */
function sumOf(containers: readonly MeasuredContainer[]): Readonly<Record<string, string>> {
  const nanocores = Math.round(containers.reduce((sum, { cores }) => sum + cores * 1e9, 0));
  const bytes = Math.round(containers.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0));
  const memory = bytes > 0 && bytes % 1_024 === 0 ? `${bytes / 1_024}Ki` : `${bytes}`;
  return { cpu: nanocores === 0 ? '0' : `${nanocores}n`, memory };
}

function byName(a: Metrics, b: Metrics): number {
  const key = ({ metadata }: Metrics): string => `${metadata.namespace ?? ''}/${metadata.name}`;
  return key(a) < key(b) ? -1 : 1;
}

function definition(of: {
  readonly resource: string;
  readonly kind: string;
  readonly scope: Scope;
}): Omit<ResourceDefinition, 'computed'> {
  const { resource, kind, scope } = of;
  return {
    group,
    version,
    resource,
    singular: '',
    kind,
    listKind: `${kind}List`,
    scope,
    shortNames: [],
    categories: [],
    verbs: ['get', 'list'],
    storagePrefix: `/registry/${group}/${resource}/`,
    storageApiVersion: `${group}/${version}`,
    schema: { type: 'any' },
    openApiSchema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    strategy: { generation: 'none', allowUnconditionalUpdate: false, allowCreateOnUpdate: false },
    custom: true,
    columns: [column('Name', 'Name of the resource', 'name'), column('cpu'), column('memory'), column('Window')],
    cells: (object) => {
      const { metadata, usage, containers = [], window } = object as Metrics;
      const all = usage ? [usage] : containers.map((each) => each.usage);
      return [metadata.name, cpuCell(all), memoryCell(all), window];
    },
    fieldLabels: new Map(),
    subresources: new Map(),
  };
}

function column(name: string, description = '', format = ''): ResourceDefinition['columns'][number] {
  return { name, type: 'string', format, description, priority: 0 };
}

function cpuCell(usages: readonly Readonly<Record<string, string>>[]): string {
  const nanocores = usages.reduce((sum, { cpu = '0' }) => sum + Number.parseInt(cpu, 10), 0);
  return nanocores === 0 ? '0' : `${nanocores}n`;
}

function memoryCell(usages: readonly Readonly<Record<string, string>>[]): string {
  const bytes = usages.reduce((sum, { memory = '0' }) => {
    return sum + Number.parseInt(memory, 10) * (memory.endsWith('Ki') ? 1_024 : 1);
  }, 0);
  return bytes > 0 && bytes % 1_024 === 0 ? `${bytes / 1_024}Ki` : `${bytes}`;
}
