import { Buffer } from 'node:buffer';
import {
  type Clock,
  type KubernetesList,
  type KubernetesObject,
  LabelSelector,
  type LabelSelectorObject,
  type Status,
  StatusError,
} from '@kubewright/apimachinery';
import { formatTime } from '@kubewright/apimachinery/internal';
import type { ApiHandler, ApiResponse, ConnectSubresource } from '@kubewright/apiserver';
import type { ConnectCall } from '@kubewright/apiserver/internal';
import type { ReachedPod } from './pod-container.ts';

interface DisruptionBudget extends KubernetesObject {
  readonly spec?: { readonly selector?: LabelSelectorObject };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly disruptionsAllowed?: number;
    readonly desiredHealthy?: number;
    readonly currentHealthy?: number;
    readonly disruptedPods?: Readonly<Record<string, string>>;
  };
}

const tries = 5;

/**
 * Serves `pods/eviction`: deletes a pod if its disruption budget allows it. Deletes through the server itself, so an eviction
 * behaves like any other deletion. Mirrors `EvictionREST` (1.36) without its check of unhealthy pods' policies.
 */
export function podEviction(options: { readonly handle: () => ApiHandler; readonly clock: Clock }): ConnectSubresource {
  return { type: 'connect', connect: (call) => new Eviction(call, options).run() };
}

class Eviction {
  readonly #call: ConnectCall;
  readonly #handle: () => ApiHandler;
  readonly #clock: Clock;

  constructor(call: ConnectCall, options: { readonly handle: () => ApiHandler; readonly clock: Clock }) {
    this.#call = call;
    this.#handle = options.handle;
    this.#clock = options.clock;
  }

  async run(): Promise<ApiResponse> {
    const pod = (await this.#call.parent()) as ReachedPod;
    const { phase } = pod.status ?? {};
    const free =
      phase === 'Succeeded' ||
      phase === 'Failed' ||
      phase === 'Pending' ||
      pod.metadata.deletionTimestamp !== undefined;
    if (!free) await this.#spendBudget(pod);
    if (!this.#call.dryRun) await this.#delete(pod);
    const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
    const headers = { 'content-type': 'application/json' };
    return { status: 201, headers, body: Buffer.from(`${JSON.stringify(status)}\n`) };
  }

  async #delete(pod: ReachedPod): Promise<void> {
    const asked = (this.#call.body?.['deleteOptions'] ?? {}) as { readonly preconditions?: object };
    const preconditions = { uid: pod.metadata.uid, ...asked.preconditions };
    const body = { ...asked, kind: 'DeleteOptions', apiVersion: 'v1', preconditions };
    const { namespace, name } = this.#call;
    await this.#ask('DELETE', { path: `/api/v1/namespaces/${namespace}/pods/${name}`, body });
  }

  async #spendBudget(pod: ReachedPod): Promise<void> {
    const path = `/apis/policy/v1/namespaces/${this.#call.namespace}/poddisruptionbudgets`;
    for (let attempt = 1; ; attempt++) {
      const { items } = await this.#ask<KubernetesList<DisruptionBudget>>('GET', { path });
      const matching = items.filter(({ spec }) => spec?.selector && matches(spec.selector, pod));
      if (matching.length > 1) {
        throw severalBudgets();
      }
      const [budget] = matching;
      if (!budget) return;
      const spent = this.#spend(budget, pod);
      if (this.#call.dryRun) return;
      try {
        await this.#ask('PUT', { path: `${path}/${budget.metadata.name}/status`, body: spent });
        return;
      } catch (error) {
        // Another eviction was faster, and must be counted against the budget.
        if (!(error instanceof StatusError) || error.status.code !== 409 || attempt >= tries) throw error;
      }
    }
  }

  #spend(budget: DisruptionBudget, pod: ReachedPod): object {
    const { name = '', generation = 0 } = budget.metadata;
    const {
      observedGeneration = 0,
      disruptionsAllowed = 0,
      desiredHealthy = 0,
      currentHealthy = 0,
    } = budget.status ?? {};
    if (observedGeneration < generation) {
      throw refused(`The disruption budget ${name} is still being processed by the server.`, 10);
    }
    if (disruptionsAllowed <= 0) {
      throw refused(
        `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
      );
    }
    const disruptedPods = { ...budget.status?.disruptedPods, [pod.metadata.name ?? '']: formatTime(this.#clock.now()) };
    const status = { ...budget.status, disruptionsAllowed: disruptionsAllowed - 1, disruptedPods };
    return {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: budget.metadata,
      spec: budget.spec,
      status,
    };
  }

  async #ask<T>(method: string, request: { readonly path: string; readonly body?: object }): Promise<T> {
    const response = await this.#handle()({
      method,
      path: request.path,
      headers: { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'kube-apiserver' },
      ...(request.body && { body: Buffer.from(JSON.stringify(request.body)) }),
      signal: this.#call.request.signal,
      connection: {
        remoteAddress: '127.0.0.1',
        protocol: 'in-process',
        clientCertificate: { commonName: 'system:apiserver', organizations: ['system:masters'] },
      },
    });
    const chunks: Uint8Array[] = [];
    if (response.body instanceof Uint8Array) chunks.push(response.body);
    else for await (const chunk of response.body) chunks.push(chunk);
    const answer: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    // The server's own response: a failure is a Status.
    if (response.status >= 400) throw new StatusError(answer as Status);
    return answer as T;
  }
}

function matches(selector: LabelSelectorObject, pod: ReachedPod): boolean {
  return LabelSelector.ofObject(selector).matches(pod.metadata.labels ?? {});
}

function severalBudgets(): StatusError {
  const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${message}`,
    reason: 'InternalError',
    details: { causes: [{ message }] },
    code: 500,
  });
}

function refused(message: string, retryAfterSeconds?: number): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    reason: 'TooManyRequests',
    details: {
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      causes: [{ reason: 'DisruptionBudget', message }],
    },
    code: 429,
  });
}
