import type { KubernetesObject, Stored } from '@kubewright/apimachinery';
import type { Child } from '@kubewright/runtime';

/** An object and its attachments: a subset of Metacontroller's request, which also has `controller` and `related`. */
export interface DecorateRequest<T extends KubernetesObject> {
  readonly object: Stored<T>;
  /** By kind (`Service.v1`), then by name. */
  readonly attachments: Readonly<Record<string, Readonly<Record<string, KubernetesObject>>>>;
  /** True if the object is being deleted or no longer selected: the request is for a finalize hook. */
  readonly finalizing: boolean;
}

/** The additions to the object: a subset of Metacontroller's response, which may also have a `status`. */
export interface DecorateResponse {
  /** All desired attachments. Other attachments are deleted. If unset, the attachments stay unchanged. */
  readonly attachments?: readonly Child[];
  /** Labels to set on the object itself. Labels from an earlier response are removed if this response omits them or sets them to null. */
  readonly labels?: Decoration | null;
  /** Annotations to set on the object itself, like `labels`. */
  readonly annotations?: Decoration | null;
  /** Calls the hook again after this time, even if nothing changes. */
  readonly resyncAfterSeconds?: number;
  /** True if a finalize hook has nothing left to do, so that the object can be deleted. */
  readonly finalized?: boolean;
}

/** Labels or annotations. */
export type Decoration = Readonly<Record<string, string | null>>;

/** Decides what an object needs, without changing anything itself. */
export type DecorateHook<T extends KubernetesObject> = (
  request: DecorateRequest<T>,
  options: { readonly signal: AbortSignal },
) => DecorateResponse | Promise<DecorateResponse>;

/** Returns a hook that calls a program over HTTP. */
export function webhook<T extends KubernetesObject>(url: string): DecorateHook<T> {
  return async (request, { signal }) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(request), signal });
    const text = await response.text();
    if (!response.ok) throw new Error(`the hook ${url} returned ${response.status}: ${text.slice(0, 1000)}`);
    const decided = JSON.parse(text) as DecorateResponse & { readonly status?: unknown };
    if (decided.attachments !== undefined && !Array.isArray(decided.attachments))
      throw new Error(`the response of the hook ${url} has "attachments" that are not a list`);
    if (decided.status) throw new Error(`the hook ${url} returned a status, which this decorator cannot write`);
    return decided;
  };
}
