import type { KubernetesObject, Stored } from '@kubewright/apimachinery';
import type { Child } from '@kubewright/runtime';

/** A parent and its children: a subset of Metacontroller's request, which also has `controller` and `related`. */
export interface SyncRequest<T extends KubernetesObject> {
  readonly parent: Stored<T>;
  /** By kind (`Pod.v1`, `Deployment.apps/v1`), then by name. */
  readonly children: Readonly<Record<string, Readonly<Record<string, KubernetesObject>>>>;
  /** True if the parent is being deleted: the request is for a finalize hook. */
  readonly finalizing: boolean;
}

/** The desired state. */
export interface SyncResponse {
  /** All desired children. Other children are deleted. */
  readonly children: readonly Child[];
  readonly status?: object;
  /** Calls the hook again after this time, even if nothing changes. */
  readonly resyncAfterSeconds?: number;
  /** True if a finalize hook has nothing left to do, so that the parent can be deleted. */
  readonly finalized?: boolean;
}

/** Decides what a parent needs, without changing anything itself. */
export type SyncHook<T extends KubernetesObject> = (
  request: SyncRequest<T>,
  options: { readonly signal: AbortSignal },
) => SyncResponse | Promise<SyncResponse>;

/** Returns a hook that calls a program: it posts the request as JSON and reads the response. */
export function webhook<T extends KubernetesObject>(url: string): SyncHook<T> {
  return async (request, { signal }) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(request), signal });
    const text = await response.text();
    if (!response.ok) throw new Error(`the hook ${url} returned ${response.status}: ${text.slice(0, 1000)}`);
    const decided = JSON.parse(text) as Partial<SyncResponse>;
    // An invalid response must not delete all children.
    if (!Array.isArray(decided.children)) throw new Error(`the response of the hook ${url} has no list "children"`);
    return decided as SyncResponse;
  };
}
