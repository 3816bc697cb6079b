import {
  type Clock,
  isConflict,
  type KubernetesObject,
  KubewrightError,
  type ObjectKey,
  type Stored,
  systemClock,
} from '@kubewright/apimachinery';
import { Job } from '@kubewright/apimachinery/batch/v1';
import type { CertificateSigningRequest } from '@kubewright/apimachinery/certificates/v1';
import { type PersistentVolumeClaim, Pod, type Service } from '@kubewright/apimachinery/core/v1';
import { formatTime, type KeyPair } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';
import type { TestEnvironment } from '@kubewright/controlplane';
import { scriptedPodStatus } from '@kubewright/controlplane/internal';
import { Manager, silentLogger } from '@kubewright/runtime';
import { toHaveCondition } from '../matchers/to-have-condition.ts';
import { RunningManager } from '../operator/running-manager.ts';
import { eventually } from '../wait/eventually.ts';
import { balancerAddress, podAddress } from './addresses.ts';
import { bindClaim } from './bind-claim.ts';
import { completeJob } from './complete-job.ts';
import { type ComponentEvent, writeEvent } from './component-events.ts';
import { fakeNode, registerNode } from './fake-node.ts';
import { assignAddress } from './load-balancer.ts';
import { podRemover } from './pod-remover.ts';
import { signingAuthority, signRequest } from './sign-request.ts';

/** Thrown if fake infrastructure cannot start in a test environment. */
class FakeInfrastructureError extends KubewrightError {
  override readonly name = 'FakeInfrastructureError';
  readonly code = 'KW8002';
}

/** The components that would conflict with fake infrastructure. */
const replaced: readonly string[] = [
  'nodes',
  'scheduler',
  'node-lifecycle-controller',
  'taint-eviction-controller',
  'pod-garbage-collector-controller',
  'persistentvolume-binder-controller',
  'local-volume-provisioner',
  'service-lb-controller',
  'certificatesigningrequest-approving-controller',
  'certificatesigningrequest-signing-controller',
];

type Scripts = Parameters<typeof scriptedPodStatus>[1]['scripts'];
type Script = Scripts extends ReadonlyMap<string, infer S> ? S : never;

/**
 * The parts of a cluster around the control plane, under the test's control: a node whose pods follow the test's
 * instructions, the scheduler, volume provisioners, load balancers and certificate signers. Fake infrastructure writes
 * the same statuses, conditions and events as a kubelet and the other components, so controllers, operators and
 * `kubectl` see no difference. Without instructions, it only terminates pods that are being deleted.
 *
 * @example
 * ```ts
 * await using environment = await TestEnvironment.start({ components: FakeInfrastructure.components });
 * await using infrastructure = await FakeInfrastructure.start(environment);
 * const pods = () => environment.client.resource(Pod).list({ namespace: 'default' });
 * const { items } = await eventually(pods, ({ items }) => items.length === 3);
 * for (const pod of items) await infrastructure.makeReady(pod);
 * ```
 */
export class FakeInfrastructure implements AsyncDisposable {
  /** The value of `components` for `TestEnvironment.start`: all components except those that fake infrastructure replaces. */
  static readonly components: readonly string[] = ['*', ...replaced.map((component) => `-${component}`)];

  readonly #client: KubernetesClient;
  readonly #clock: Clock;
  readonly #hasJobController: boolean;
  readonly #running: RunningManager;
  #podAddresses = 0;
  #balancerAddresses = 0;
  #authority: KeyPair | undefined;

  private constructor(
    environment: TestEnvironment,
    { running, clock }: { readonly running: RunningManager; readonly clock: Clock },
  ) {
    this.#client = environment.client;
    this.#hasJobController = environment.runs('job-controller');
    this.#running = running;
    this.#clock = clock;
  }

  /**
   * Registers the node `fake-node`.
   *
   * @param options - `clock`: the source of the times in statuses. @defaultValue the system clock
   * @throws FakeInfrastructureError (KW8002) if the environment runs components that fake infrastructure replaces, as an existing
   * cluster does
   */
  static async start(
    environment: TestEnvironment,
    options: { readonly clock?: Clock } = {},
  ): Promise<FakeInfrastructure> {
    const { clock = systemClock } = options;
    checkComponents(environment);
    const { client } = environment;
    await registerNode(client, clock.now());
    const manager = new Manager({ controllers: [podRemover()], client, log: silentLogger, handleSignals: false });
    return new FakeInfrastructure(environment, { running: await RunningManager.start(manager), clock });
  }

  /** Starts all containers and lets their probes succeed: the pod is `Running` and ready. */
  makeReady(pod: KubernetesObject | ObjectKey): Promise<Stored<Pod>> {
    return this.#play(pod, { script: () => ({ does: 'run' }) });
  }

  /**
   * Ends a container (by default the first) with an error. If the pod restarts it, the container waits in `CrashLoopBackOff`;
   * otherwise the pod fails when no container is left.
   *
   * @param options - `exitCode`: 1 by default; 137 is reported as `OOMKilled`
   */
  crash(
    pod: KubernetesObject | ObjectKey,
    options: { readonly container?: string; readonly exitCode?: number; readonly message?: string } = {},
  ): Promise<Stored<Pod>> {
    const { container, exitCode = 1, message } = options;
    return this.#play(pod, {
      script: (name, index) =>
        (container === undefined ? index === 0 : name === container) ? { does: 'exit', exitCode, message } : undefined,
      events: (object, name) => {
        const { name: podName, namespace, uid } = object.metadata;
        const text = `Back-off restarting failed container ${name} in pod ${podName}_${namespace}(${uid})`;
        const isWaiting = object.status?.containerStatuses?.some((each) => each.name === name && each.state?.waiting);
        return isWaiting ? [{ component: 'kubelet', type: 'Warning', reason: 'BackOff', message: text }] : [];
      },
    });
  }

  /** Ends all containers successfully: a pod that does not restart them is `Succeeded`. */
  succeed(pod: KubernetesObject | ObjectKey): Promise<Stored<Pod>> {
    return this.#play(pod, { script: () => ({ does: 'exit', exitCode: 0 }) });
  }

  /** Simulates a failed image pull of a container (by default the first), which then waits in `ImagePullBackOff`. */
  failPull(
    pod: KubernetesObject | ObjectKey,
    options: { readonly container?: string; readonly message?: string } = {},
  ): Promise<Stored<Pod>> {
    const imageOf = (object: Pod, name: string): string =>
      object.spec?.containers.find((each) => each.name === name)?.image ?? '';
    const why = (image: string): string =>
      options.message ?? `failed to pull and unpack image "${image}": failed to resolve reference: not found`;
    const { container } = options;
    return this.#play(pod, {
      script: (name, index, object) => {
        if (container === undefined ? index !== 0 : name !== container) return undefined;
        const image = imageOf(object, name);
        const message = `Back-off pulling image "${image}": ErrImagePull: ${why(image)}`;
        return { does: 'wait', reason: 'ImagePullBackOff', message };
      },
      events: (object, name) => {
        const image = imageOf(object, name);
        const event = { component: 'kubelet', reason: 'Failed', type: 'Warning' } as const;
        return [
          { ...event, message: `Failed to pull image "${image}": ${why(image)}` },
          { ...event, message: 'Error: ErrImagePull' },
          { component: 'kubelet', reason: 'BackOff', message: `Back-off pulling image "${image}"` },
          { ...event, message: 'Error: ImagePullBackOff' },
        ];
      },
    });
  }

  /** Reports that no node fits the pod, like the scheduler. */
  async makeUnschedulable(
    pod: KubernetesObject | ObjectKey,
    options: { readonly message?: string } = {},
  ): Promise<Stored<Pod>> {
    const { message = '0/1 nodes are available: 1 Insufficient cpu.' } = options;
    const key = keyOf(pod);
    const lastTransitionTime = formatTime(this.#clock.now());
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime };
    const body = { status: { conditions: [condition] } };
    const object = await this.#client.resource(Pod).status.patch(key, { type: 'strategic', body });
    const event = { component: 'default-scheduler', type: 'Warning', reason: 'FailedScheduling', message } as const;
    await writeEvent(this.#client, { object, nowMs: this.#clock.now(), event });
    return object;
  }

  /**
   * Lets the pods of a Job succeed, including those that the Job controller creates meanwhile, until the Job is
   * complete. On a control plane without a Job controller, such as envtest's, this method writes the status that the
   * controller would write.
   *
   * @param options - `timeoutMs`: as for {@link eventually}
   * @throws AssertionError if the Job is not complete in time
   */
  async complete(
    job: KubernetesObject | ObjectKey,
    options: { readonly timeoutMs?: number } = {},
  ): Promise<Stored<Job>> {
    const key = keyOf(job);
    if (!this.#hasJobController) return completeJob(this.#client, { key, nowMs: this.#clock.now() });
    const advance = async (): Promise<Stored<Job>> => {
      const current = await this.#client.resource(Job).get(key);
      const labelSelector = `batch.kubernetes.io/controller-uid=${current.metadata.uid}`;
      const { items } = await this.#client.resource(Pod).list({ namespace: current.metadata.namespace, labelSelector });
      const isActive = ({ status }: Stored<Pod>): boolean =>
        status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
      for (const pod of items.filter(isActive)) await this.succeed(pod);
      return current;
    };
    return eventually(advance, toHaveCondition('Complete'), options);
  }

  /** Provisions a volume for a claim and binds both. */
  async bind(claim: KubernetesObject | ObjectKey): Promise<Stored<PersistentVolumeClaim>> {
    return bindClaim(this.#client, keyOf(claim));
  }

  /**
   * Gives a Service of type LoadBalancer its external address.
   *
   * @param ip - @defaultValue the next address of 203.0.113.0/24, a range for examples; after 254 Services, the addresses repeat
   */
  async assignAddress(
    service: KubernetesObject | ObjectKey,
    ip: string = balancerAddress(this.#balancerAddresses++),
  ): Promise<Stored<Service>> {
    return assignAddress(this.#client, { key: keyOf(service), ip });
  }

  /**
   * Approves a certificate signing request and issues its certificate, for any signer. The issuer is a certificate
   * authority of this instance. The cluster does not trust this authority, so the API server rejects the certificate as
   * a client certificate.
   */
  async sign(request: KubernetesObject | ObjectKey): Promise<Stored<CertificateSigningRequest>> {
    const nowMs = this.#clock.now();
    this.#authority ??= signingAuthority(nowMs);
    return signRequest(this.#client, { name: keyOf(request).name, authority: this.#authority, nowMs });
  }

  /** Stops terminating deleted pods. @throws the error that ended the fake infrastructure earlier, if any */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running[Symbol.asyncDispose]();
  }

  /** Binds the pod to the node if necessary, changes its containers, and reports the result. */
  async #play(
    pod: KubernetesObject | ObjectKey,
    act: {
      readonly script: (name: string, index: number, pod: Pod) => Script | undefined;
      readonly events?: (pod: Stored<Pod>, container: string) => readonly ComponentEvent[];
    },
  ): Promise<Stored<Pod>> {
    const pods = this.#client.resource(Pod);
    const key = keyOf(pod);
    for (;;) {
      const current = await this.#bound(key);
      const named = (current.spec?.containers ?? []).flatMap(({ name }, index) => {
        const script = act.script(name, index, current);
        return script ? [[name, script] as const] : [];
      });
      const nowMs = this.#clock.now();
      const podIP = current.status?.podIP ?? podAddress(this.#podAddresses++);
      const kubeletStatus = scriptedPodStatus(current, {
        scripts: new Map(named),
        hostIP: fakeNode.hostIP,
        podIP,
        nowMs,
      });
      const own = new Set(kubeletStatus.conditions?.map(({ type }) => type));
      // Other clients own the remaining conditions, such as readiness gates.
      const others = (current.status?.conditions ?? []).filter(({ type }) => !own.has(type));
      const status = {
        ...current.status,
        ...kubeletStatus,
        conditions: [...(kubeletStatus.conditions ?? []), ...others],
      };
      try {
        const updated = await pods.status.update({ ...current, status });
        for (const event of named.flatMap(([name]) => act.events?.(updated, name) ?? [])) {
          await writeEvent(this.#client, { object: updated, nowMs, event });
        }
        return updated;
      } catch (error) {
        if (!isConflict(error)) throw error; // Another client changed the pod in the meantime.
      }
    }
  }

  async #bound(key: ObjectKey): Promise<Stored<Pod>> {
    const pods = this.#client.resource(Pod);
    const pod = await pods.get(key);
    if (pod.spec?.nodeName) return pod;
    const target = { apiVersion: 'v1', kind: 'Node', name: fakeNode.name };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: key.name }, target };
    await pods.subresource('binding').create(key, binding);
    return pods.get(key);
  }
}

/** @throws FakeInfrastructureError if the environment runs a component that fake infrastructure replaces */
function checkComponents(environment: TestEnvironment): void {
  const what = 'cannot start fake infrastructure';
  if (environment.backend === 'existing') {
    const why = 'USE_EXISTING_CLUSTER selects an existing cluster, which has its own nodes';
    throw new FakeInfrastructureError({
      what,
      why,
      remedy: 'unset USE_EXISTING_CLUSTER, or skip the test on existing clusters',
    });
  }
  const running = replaced.filter((component) => environment.runs(component));
  if (running.length === 0) return;
  throw new FakeInfrastructureError({
    what,
    why: `the environment runs components that fake infrastructure replaces: ${running.join(', ')}`,
    remedy: 'pass components: FakeInfrastructure.components to TestEnvironment.start',
  });
}

function keyOf(of: KubernetesObject | ObjectKey): ObjectKey {
  const { namespace, name = '' } = 'metadata' in of ? of.metadata : of;
  return namespace === undefined ? { name } : { namespace, name };
}
