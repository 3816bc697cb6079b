import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { ConfigMap, type ContainerStatus, type PersistentVolume, type PersistentVolumeClaim, Pod, type PodCondition, type PodStatus, type Secret } from '@kubewright/apimachinery/core/v1';
import { AddressPool, inProcessRange } from '../../network/address-pool.ts';
import { LocalLogStore } from '../logs/local-log-store.ts';
import type { PodHost, PodObjects } from '../pod/pod-host.ts';
import { PodWorker, type SyncResult } from '../pod/pod-worker.ts';
import { SimulatedDriver } from '../simulated/simulated-driver.ts';
import { SimulatedProbeRunner } from '../simulated/simulated-probe-runner.ts';
import { CheckedPodVolumes } from '../volumes/checked-pod-volumes.ts';

/** Runs one pod's worker on a simulated node under a virtual clock, and records its statuses and events. */
export class PodBench {
  readonly clock: VirtualClock = new VirtualClock();
  readonly events: string[] = [];
  readonly statuses: PodStatus[] = [];
  readonly objects: TestObjects = new TestObjects();
  readonly host: PodHost;
  readonly faults: unknown[] = [];
  readonly worker: PodWorker;
  pod: Pod;
  last: SyncResult | undefined;
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #woken = false;

  constructor(spec: NonNullable<Pod['spec']>, options: {
    readonly annotations?: Record<string, string>;
    readonly status?: PodStatus;
    /** Returns the eviction message for a volume that is too large. */
    readonly excess?: () => string | undefined;
  } = {}) {
    const random = seededRandom(1);
    const { clock } = this;
    this.pod = Pod({
                  metadata: { name: 'p', namespace: 'ns', uid: 'uid-1', generation: 1, annotations: options.annotations ?? {} },
      spec,
      ...(options.status && { status: options.status }),
    });
    this.host = {
      clock,
      random,
      driver: new SimulatedDriver({ clock, random, addresses: new AddressPool(inProcessRange) }),
      node: { name: 'node', ip: '10.0.0.9' },
      objects: this.objects,
      probes: new SimulatedProbeRunner(clock),
      logs: new LocalLogStore({ clock }),
      images: new Set(),
      settings: {
        restartBackOffMs: 10_000,
        maxRestartBackOffMs: 300_000,
        allocatable: { cpu: '4', memory: '8Gi' },
        allowHostPath: false,
        volumeRoot: undefined,
        apiServer: undefined,
      },
      event: (_pod, { reason, note }) => this.events.push(`${reason}: ${note}`),
      noteFault: (error) => this.faults.push(error),
      wake: () => {
        this.#woken = true;
      },
    };
    this.worker = new PodWorker(this.pod, {
      host: this.host,
      makeVolumes: (_pod, { podIP }) => {
        const volumes = new CheckedPodVolumes(this.host, podIP);
        const { excess } = options;
        return excess ? Object.assign(volumes, { excess: () => Promise.resolve(excess()) }) : volumes;
      },
      admit: () => undefined,
    });
  }

  /** Advances the clock and syncs the worker whenever it is due. */
  async run(ms = 0): Promise<PodStatus> {
    const end = this.clock.now() + ms;
    this.#sync();
    for (;;) {
      await this.clock.advance(0);
      if (this.#woken || this.clock.now() >= this.#wakeAtMs) {
        this.#sync();
        continue;
      }
      if (this.clock.now() >= end) return this.status;
      await this.clock.advance(Math.min(100, end - this.clock.now(), Math.max(this.#wakeAtMs - this.clock.now(), 1)));
    }
  }

  /** Marks the pod as being deleted. */
  delete(graceSeconds: number): void {
    const deletionTimestamp = new Date(this.clock.now() + graceSeconds * 1000).toISOString().replace(/\.\d+Z/, 'Z');
    this.pod = {
      ...this.pod,
      metadata: { ...this.pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds },
    };
  }

  get status(): PodStatus {
    return this.last?.status ?? {};
  }

  container(name: string): ContainerStatus | undefined {
    const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = this.status;
    return [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses].find((status) => status.name === name);
  }

  condition(type: string): PodCondition | undefined {
    return this.status.conditions?.find((condition) => condition.type === type);
  }

  #sync(): void {
    this.#woken = false;
    this.last = this.worker.sync(this.pod);
    this.#wakeAtMs = this.last.wakeAtMs;
    const { status } = this.last;
    if (status && JSON.stringify(status) !== JSON.stringify(this.statuses.at(-1))) {
      this.statuses.push(status);
      this.pod = { ...this.pod, status };
    }
  }
}

/** The objects that a test provides. */
export class TestObjects implements PodObjects {
  readonly configMaps: Map<string, ConfigMap> = new Map();
  readonly secrets: Map<string, Secret> = new Map();
  readonly claims: Map<string, PersistentVolumeClaim> = new Map();
  readonly volumes: Map<string, PersistentVolume> = new Map();
  tokens = 0;

  configMap(_namespace: string, name: string): ConfigMap | undefined {
    return this.configMaps.get(name);
  }

  secret(_namespace: string, name: string): Secret | undefined {
    return this.secrets.get(name);
  }

  services(): readonly never[] {
    return [];
  }

  claim(_namespace: string, name: string): Promise<PersistentVolumeClaim | undefined> {
    return Promise.resolve(this.claims.get(name));
  }

  persistentVolume(name: string): Promise<PersistentVolume | undefined> {
    return Promise.resolve(this.volumes.get(name));
  }

  token(): Promise<{ readonly token: string; readonly expiresAtMs: number }> {
    return Promise.resolve({ token: `token-${++this.tokens}`, expiresAtMs: Number.POSITIVE_INFINITY });
  }

  addConfigMap(name: string, data: Record<string, string>): void {
    this.configMaps.set(name, ConfigMap({ metadata: { name }, data }));
  }
}
