import { Buffer } from 'node:buffer';
import {
  badRequest,
  type Clock,
  conflict,
  invalid,
  invalidField,
  isConflict,
  type KubernetesList,
  LabelSelector,
  LabelSelectorError,
  type LabelSelectorObject,
  type Status,
  StatusError,
  sleep,
  unsupportedField,
} from '@kubewright/apimachinery';
import { formatTime, stringifyJson } from '@kubewright/apimachinery/internal';
import type { ApiHandler, ApiResponse, ConnectSubresource } from '@kubewright/apiserver';
import type { ConnectCall } from '@kubewright/apiserver/internal';
import {
  type DisruptionBudget,
  decideEviction,
  needsNoBudget,
  needsRevision,
  stillProcessed,
} from './eviction-decision.ts';
import type { ReachedPod } from './pod-container.ts';

interface DeleteOptions {
  readonly dryRun?: readonly string[] | null;
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | null;
  readonly preconditions?: { readonly uid?: string | null; readonly resourceVersion?: string | null } | null;
}

const tries = 20;
const retryMs = 500;

/**
 * Serves `pods/eviction`: deletes a pod if its disruption budget allows it. The deletion goes through the API server
 * itself, so it behaves like any other deletion. Mirrors `EvictionREST` (1.36).
 */
export function podEviction(options: { readonly handle: () => ApiHandler; readonly clock: Clock }): ConnectSubresource {
  return { type: 'connect', connect: (call) => new Eviction(call, options).run() };
}

class Eviction {
  readonly #call: ConnectCall;
  readonly #handle: () => ApiHandler;
  readonly #clock: Clock;
  readonly #options: DeleteOptions;
  readonly #dryRun: boolean;

  constructor(call: ConnectCall, options: { readonly handle: () => ApiHandler; readonly clock: Clock }) {
    this.#call = call;
    this.#handle = options.handle;
    this.#clock = options.clock;
    // The server has checked that this is an object, but has not validated its fields.
    this.#options = (call.body?.['deleteOptions'] ?? {}) as DeleteOptions;
    this.#dryRun = call.dryRun || (this.#options.dryRun?.length ?? 0) > 0;
  }

  async run(): Promise<ApiResponse> {
    const { body, name } = this.#call;
    if (body?.metadata.name !== name) throw badRequest('name in URL does not match name in Eviction object');
    this.#validate();
    if (!(await this.#withoutBudget())) await this.#withBudget();
    const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
    const headers = { 'content-type': 'application/json' };
    return { status: 201, headers, body: Buffer.from(`${JSON.stringify(status)}\n`) };
  }

  #validate(): void {
    const { dryRun, ignoreStoreReadErrorWithClusterBreakingPotential: ignored } = this.#options;
    if (dryRun?.some((one) => one !== 'All')) {
      const kind = { group: 'meta.k8s.io', kind: 'DeleteOptions' };
      throw invalid(kind, '', [unsupportedField('dryRun', dryRun, ['All'])]);
    }
    if (!ignored) return;
    const field = 'deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential';
    const error = invalidField(field, true, 'can not be set for pod eviction, try after removing the option');
    throw invalid({ group: 'policy', kind: 'Eviction' }, this.#call.name, [error]);
  }

  /** Deletes a pod that may be evicted regardless of budgets, such as a pending pod. Returns false if budgets apply. */
  async #withoutBudget(): Promise<boolean> {
    const { uid } = this.#options.preconditions ?? {};
    return this.#retryConflicts(async (_attempt, stopRetrying) => {
      const pod = (await this.#call.parent()) as ReachedPod;
      // Retrying cannot help: the revision or UID that the client requires will not come back.
      if (this.#requestsRevision || (uid && uid !== pod.metadata.uid)) stopRetrying();
      if (!needsNoBudget(pod)) return false;
      await this.#delete(needsRevision(pod) ? pod : undefined);
      return true;
    });
  }

  async #withBudget(): Promise<void> {
    const pod = (await this.#call.parent()) as ReachedPod;
    const budget = await this.#budgetOf(pod);
    if (!budget) return this.#delete();
    const { name = '' } = budget.metadata;
    const spent = await this.#retryConflicts(async (attempt) => {
      const path = `${this.#budgets}/${name}`;
      const current = attempt === 1 ? budget : await this.#send<DisruptionBudget>('GET', { path });
      const decision = decideEviction({ pod, budget: current, now: formatTime(this.#clock.now()) });
      if (decision.type === 'rejected') throw decision.error;
      if (decision.type === 'unhealthy') return false;
      const body = { ...current, apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', status: decision.status };
      if (!this.#dryRun) await this.#send('PUT', { path: `${path}/status`, body });
      return true;
    });
    if (spent) return this.#delete();
    try {
      // Fails with a conflict if the pod has become ready in the meantime.
      return await this.#delete(pod);
    } catch (error) {
      if (isConflict(error) && !this.#requestsRevision) throw stillProcessed(name);
      throw error;
    }
  }

  get #budgets(): string {
    return `/apis/policy/v1/namespaces/${this.#call.namespace}/poddisruptionbudgets`;
  }

  get #requestsRevision(): boolean {
    return typeof this.#options.preconditions?.resourceVersion === 'string';
  }

  async #budgetOf(pod: ReachedPod): Promise<DisruptionBudget | undefined> {
    const { items } = await this.#send<KubernetesList<DisruptionBudget>>('GET', { path: this.#budgets });
    const matching = items.filter(({ spec }) => spec?.selector && matches(spec.selector, pod));
    if (matching.length > 1) throw severalBudgets();
    return matching[0];
  }

  /** Marks the pod as disrupted and deletes it. If `unchanged` is given, fails with a conflict if the pod has changed since then. */
  async #delete(unchanged?: ReachedPod): Promise<void> {
    let { uid, resourceVersion } = this.#options.preconditions ?? {};
    if (unchanged && !this.#requestsRevision) resourceVersion = unchanged.metadata.resourceVersion;
    if (!this.#dryRun) {
      await this.#call.updateParent((pod) => {
        checkPreconditions(pod.metadata, { uid, resourceVersion });
        markDisrupted(pod, formatTime(this.#clock.now()));
      });
      if (resourceVersion) {
        // Setting the condition has changed the pod's resourceVersion.
        const { metadata } = await this.#call.parent();
        resourceVersion = metadata.resourceVersion;
      }
    }
    const body = {
      ...this.#options,
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      preconditions: { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
      ...(this.#dryRun && { dryRun: ['All'] }),
    };
    const { namespace, name } = this.#call;
    await this.#send('DELETE', { path: `/api/v1/namespaces/${namespace}/pods/${name}`, body });
  }

  async #retryConflicts<T>(run: (attempt: number, stopRetrying: () => void) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      let isLast = attempt >= tries;
      const stopRetrying = (): void => {
        isLast = true;
      };
      try {
        return await run(attempt, stopRetrying);
      } catch (error) {
        if (!isConflict(error) || isLast) throw error;
        await sleep(this.#clock, { ms: retryMs, signal: this.#call.request.signal });
      }
    }
  }

  async #send<T>(method: string, request: { readonly path: string; readonly body?: object }): Promise<T> {
    const response = await this.#handle()({
      method,
      path: request.path,
      headers: { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'kube-apiserver' },
      ...(request.body && { body: Buffer.from(stringifyJson(request.body)) }),
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
    const reply: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    // The server's own response; an error response is a Status.
    if (response.status >= 400) throw new StatusError(reply as Status);
    return reply as T;
  }
}

interface Preconditions {
  readonly uid?: string | null | undefined;
  readonly resourceVersion?: string | null | undefined;
}

function checkPreconditions({ name = '', uid, resourceVersion }: ReachedPod['metadata'], wanted: Preconditions): void {
  const resource = { group: '', resource: 'Pod' };
  if (wanted.uid && wanted.uid !== uid) {
    const why = `the UID in the precondition (${wanted.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(resource, name, why);
  }
  if (wanted.resourceVersion && wanted.resourceVersion !== resourceVersion) {
    const why = `the ResourceVersion in the precondition (${wanted.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw conflict(resource, name, why);
  }
}

/** Sets the condition that tells a pod's controller why the pod was deleted. */
function markDisrupted(pod: Parameters<Parameters<ConnectCall['updateParent']>[0]>[0], now: string): void {
  interface Condition {
    readonly type: string;
    readonly status?: string;
    readonly lastTransitionTime?: string;
  }
  const status = (pod['status'] ?? {}) as { readonly conditions?: readonly Condition[] };
  const conditions = status.conditions ?? [];
  const old = conditions.find(({ type }) => type === 'DisruptionTarget');
  const mark = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastTransitionTime: old?.status === 'True' ? (old.lastTransitionTime ?? now) : now,
  };
  const marked = old ? conditions.map((one) => (one === old ? { ...one, ...mark } : one)) : [...conditions, mark];
  pod['status'] = { ...status, conditions: marked };
}

/** True if a budget's selector matches the pod. As in upstream, empty and invalid selectors match no pod. */
function matches(selector: LabelSelectorObject, pod: ReachedPod): boolean {
  const isEmpty = Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions?.length ?? 0) === 0;
  if (isEmpty) return false;
  try {
    return LabelSelector.ofObject(selector).matches(pod.metadata.labels ?? {});
  } catch (error) {
    if (error instanceof LabelSelectorError) return false;
    throw error;
  }
}

function severalBudgets(): StatusError {
  const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}
