import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { clientFromConfig, type KubernetesClient, loadClientConfig } from '@kubewright/client';
import { parse } from 'yaml';
import { type Environment, startEnvironment } from '../environment/environment.ts';
import { AggregatedServer, type ServedKind } from './aggregated-server.ts';
import { FreshKubectl } from './kubectl.ts';

/** The namespace and name of the Service in front of the second server. */
interface Place {
  readonly namespace: string;
  readonly name: string;
}

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server?: string; readonly [field: string]: string | undefined };
  }[];
  readonly users: readonly { readonly user: { readonly [field: string]: string | undefined } }[];
}

/** A cluster with a second API server behind a Service. */
export class AggregatedCluster implements AsyncDisposable {
  readonly kind: ServedKind;
  readonly place: Place;
  readonly server: AggregatedServer;
  readonly client: KubernetesClient;
  readonly #environment: Environment;
  readonly #folder: string;

  private constructor(
    kind: ServedKind,
    parts: {
      readonly environment: Environment;
      readonly server: AggregatedServer;
      readonly folder: string;
      readonly place: Place;
    },
  ) {
    this.kind = kind;
    this.place = parts.place;
    this.server = parts.server;
    this.client = parts.environment.client;
    this.#environment = parts.environment;
    this.#folder = parts.folder;
  }

  /** Starts the cluster and the second server, but does not register the server with the cluster. */
  static async start(
    kind: ServedKind,
    { openApi = '{}', place = { namespace: 'default', name: 'wells' } }: { openApi?: string; place?: Place } = {},
  ): Promise<AggregatedCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'kw-aggregation-'));
    const environment = await startEnvironment(folder);
    // The ConfigMap with the client CA that servers behind the aggregator trust.
    const trust = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };
    const { data = {} } = await environment.client.resource(ConfigMap).get(trust);
    const clientCa = data['requestheader-client-ca-file'] ?? '';
    const server = new AggregatedServer(kind, { openApi, host: `${place.name}.${place.namespace}.svc`, clientCa });
    return new AggregatedCluster(kind, { environment, server, folder, place });
  }

  /** The name of the APIService, such as `v1.wells.example.com`. */
  get apiService(): string {
    return `${this.kind.version}.${this.kind.group}`;
  }

  get kubectl(): FreshKubectl {
    return new FreshKubectl({
      folder: mkdtempSync(join(this.#folder, 'kubectl-')),
      kubeconfig: this.#environment.kubeconfig,
    });
  }

  /** Returns a network client that sends these headers with every request. */
  async clientWith(headers: Readonly<Record<string, string | readonly string[]>>): Promise<KubernetesClient> {
    const config = await loadClientConfig({ kubeconfig: this.#environment.kubeconfig });
    return clientFromConfig({ ...config, headers });
  }

  /** Requests a protocol switch over the network as the administrator and returns the stream. */
  async upgrade(path: string): Promise<Duplex> {
    const { clusters, users } = parse(readFileSync(this.#environment.kubeconfig, 'utf8')) as Kubeconfig;
    const pem = (data: string | undefined): string => Buffer.from(data ?? '', 'base64').toString('utf8');
    const { cluster } = clusters[0] ?? { cluster: {} };
    const { user } = users[0] ?? { user: {} };
    const sent = request(new URL(path, cluster.server), {
      ca: pem(cluster['certificate-authority-data']),
      cert: pem(user['client-certificate-data']),
      key: pem(user['client-key-data']),
      headers: { connection: 'Upgrade', upgrade: 'echo' },
    });
    sent.end();
    const [, stream] = (await once(sent, 'upgrade')) as [unknown, Duplex];
    return stream;
  }

  put(path: string, body: object): Promise<unknown> {
    return this.client.request({ method: 'POST', path, body });
  }

  /** Creates the server's Service without endpoints. */
  async createService(): Promise<void> {
    await this.put(`/api/v1/namespaces/${this.place.namespace}/services`, {
      metadata: this.place,
      spec: { ports: [{ port: 443 }] },
    });
  }

  /** Sets the Service's endpoint to a port on loopback. */
  async pointServiceTo(port: number, conditions: { readonly ready: boolean } = { ready: true }): Promise<void> {
    const { namespace, name } = this.place;
    await this.put(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, {
      metadata: { namespace, name, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: [{ name: '', port }],
      endpoints: [{ addresses: ['127.0.0.1'], conditions }],
    });
  }

  async leadNowhere(): Promise<void> {
    const { namespace, name } = this.place;
    const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices/${name}`;
    await this.client.request({ method: 'DELETE', path });
  }

  /** Registers the group version. Trusts the server's CA bundle by default. */
  async register(trust: object = { caBundle: Buffer.from(this.server.ca).toString('base64') }): Promise<void> {
    const { group, version } = this.kind;
    const spec = { group, version, service: this.place, groupPriorityMinimum: 2000, versionPriority: 10 };
    const metadata = { name: this.apiService };
    await this.put('/apis/apiregistration.k8s.io/v1/apiservices', { metadata, spec: { ...spec, ...trust } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#environment[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
