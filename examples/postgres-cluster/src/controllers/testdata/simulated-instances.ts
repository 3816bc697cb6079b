import { Lease } from '@kubewright/apimachinery/coordination/v1';
import type { KubernetesClient } from '@kubewright/client';
import { type FailoverQuorum, PostgresCluster, type PostgresClusterStatus } from '../../api/v1/postgres-cluster.ts';
import type { InstanceReport } from '../../instance/protocol.ts';
import { lsnOf } from '../../lsn.ts';
import { clusterNames, instanceName } from '../../spec/cluster-names.ts';
import type { InstanceAddress, InstanceClient } from '../instance-client.ts';

interface Server {
  state: 'stopped' | 'standby' | 'primary';
  data: 'empty' | 'standby' | 'primary';
  receivedLSN: string;
  /** True after the server was killed: it restarts only as a standby. */
  isYielding: boolean;
  pendingRestart: boolean;
  /** True while the instance cannot be reached. */
  isSilent: boolean;
}

/**
 * Simulates instances without PostgreSQL. Each instance acts when the operator polls it: it follows `status.targetPrimary`, becomes
 * the primary only after it has acquired the Lease, and then writes `status.currentPrimary`.
 */
export class SimulatedInstances implements InstanceClient {
  readonly restarted: string[] = [];
  readonly #client: KubernetesClient;
  readonly #key: { readonly namespace: string; readonly name: string };
  readonly #servers = new Map<string, Server>();
  readonly #commits: boolean;
  /** End of the WAL of the last acknowledged commit. */
  #acknowledged = -1n;
  /** Describes each lost commit and each second primary. Must stay empty. */
  readonly violations: string[] = [];

  /** @param options - `commits`: a primary writes whenever it is polled, and one replica must confirm each commit */
  constructor(
    client: KubernetesClient,
    key: { readonly namespace: string; readonly name: string },
    { commits = false }: { readonly commits?: boolean } = {},
  ) {
    this.#client = client;
    this.#key = key;
    this.#commits = commits;
  }

  /** Returns the server of an instance, so that a test can change its state. */
  server(number: number): Server {
    return this.#server(instanceName(this.#key.name, number));
  }

  /** Kills a server. Its instance releases the Lease at once. */
  async kill(number: number): Promise<void> {
    Object.assign(this.server(number), { state: 'stopped', isYielding: true });
    await this.#setLeaseHolder(null);
  }

  /** Makes instances unreachable. If one of them is the primary, it releases the Lease first. */
  async silence(...numbers: readonly number[]): Promise<void> {
    for (const number of numbers) Object.assign(this.server(number), { state: 'stopped', isSilent: true });
    await this.#setLeaseHolder(null);
  }

  async report({ instance: name }: InstanceAddress): Promise<InstanceReport> {
    const server = this.#server(name);
    if (server.isSilent) throw new Error(`${name} does not respond`);
    const { status = {} } = await this.#client.resource(PostgresCluster).get(this.#key);
    const { targetPrimary, currentPrimary } = status;
    if (targetPrimary === name) await this.#becomePrimary(name, server);
    else if (server.state === 'primary') {
      server.state = 'stopped';
      await this.#setLeaseHolder(null);
    } else if (targetPrimary === currentPrimary && targetPrimary !== undefined) {
      Object.assign(server, { state: 'standby', data: 'standby', isYielding: false });
    }
    const primary = this.#servers.get(currentPrimary ?? '');
    const isReceiving = server.state === 'standby' && targetPrimary === currentPrimary && primary?.state === 'primary';
    if (this.#commits && server.state === 'primary') server.receivedLSN = lsnText(lsnOf(server.receivedLSN) + 0x60n);
    if (this.#commits && isReceiving) await this.#receive(name, { server, primary, status });
    return {
      name,
      state: server.state === 'stopped' ? 'waiting' : 'running',
      isPrimary: server.state === 'primary',
      hasDied: server.isYielding,
      isReady: server.state === 'primary' || isReceiving,
      data: server.data,
      timeline: 1,
      systemID: '7',
      receivedLSN: server.receivedLSN,
      replayedLSN: server.receivedLSN,
      ...(server.state === 'stopped' && server.data === 'primary' && { shutdownLSN: server.receivedLSN }),
      isReceiving,
      pendingRestart: server.pendingRestart,
      isDiskFull: false,
    };
  }

  async restart({ instance }: InstanceAddress): Promise<void> {
    this.restarted.push(instance);
    this.#server(instance).pendingRestart = false;
  }

  async #receive(
    name: string,
    { server, primary, status }: { readonly server: Server; readonly primary: Server; readonly status: PostgresClusterStatus },
  ): Promise<void> {
    server.receivedLSN = primary.receivedLSN;
    const [{ standbyNames = [] } = {}] = status.failoverQuorums ?? [];
    // A replica's confirmation counts only once the quorum lists the replica.
    if (!standbyNames.includes(name)) await this.#publish({ failoverQuorums: [quorum([...standbyNames, name])] });
    else if (lsnOf(server.receivedLSN) > this.#acknowledged) this.#acknowledged = lsnOf(server.receivedLSN);
  }

  async #becomePrimary(name: string, server: Server): Promise<void> {
    if (server.isYielding || server.state === 'primary') return;
    const { spec } = await this.#client.resource(Lease).get(this.#leaseKey);
    if (spec?.holderIdentity && spec.holderIdentity !== name) return;
    await this.#setLeaseHolder(name);
    const others = [...this.#servers].filter(([other]) => other !== name);
    const rival = others.find(([, { state }]) => state === 'primary');
    if (rival) this.violations.push(`${rival[0]} is a primary when ${name} becomes one`);
    if (lsnOf(server.receivedLSN) < this.#acknowledged) this.violations.push(`${name} lacks an acknowledged commit`);
    Object.assign(server, { state: 'primary', data: 'primary' });
    const standbys = others.filter(([, { data }]) => data !== 'empty').map(([other]) => other);
    await this.#publish({ currentPrimary: name, ...(this.#commits && { failoverQuorums: [quorum(standbys)] }) });
  }

  async #publish(status: PostgresClusterStatus): Promise<void> {
    await this.#client.resource(PostgresCluster).status.patch(this.#key, { type: 'merge', body: { status } });
  }

  #setLeaseHolder(holderIdentity: string | null): Promise<unknown> {
    // A simulated instance does not renew the Lease.
    const body = { spec: { holderIdentity, leaseDurationSeconds: 3_600 } };
    return this.#client.resource(Lease).patch(this.#leaseKey, { type: 'merge', body });
  }

  get #leaseKey(): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#key.namespace, name: clusterNames(this.#key.name).lease };
  }

  #server(name: string): Server {
    const found = this.#servers.get(name);
    if (found) return found;
    const server: Server = {
      state: 'stopped',
      data: 'empty',
      receivedLSN: '0/3000000',
      isYielding: false,
      pendingRestart: false,
      isSilent: false,
    };
    this.#servers.set(name, server);
    return server;
  }
}

function quorum(standbyNames: readonly string[]): FailoverQuorum {
  return { standbyNumber: 1, standbyNames };
}

function lsnText(lsn: bigint): string {
  return `0/${lsn.toString(16).toUpperCase()}`;
}
