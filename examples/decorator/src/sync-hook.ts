import type { KubernetesObject, Stored } from '@kubewright/apimachinery';
import type { Child } from '@kubewright/runtime';

/** An object and its attachments. The format is Metacontroller's, so its hooks work unchanged. */
export interface DecorateRequest<T extends KubernetesObject> {
  readonly object: Stored<T>;
  /** By kind (`Service.v1`), then by name. */
  readonly attachments: Readonly<Record<string, Readonly<Record<string, KubernetesObject>>>>;
  /** True if the object is being deleted or no longer selected: the request is for a finalize hook. */
  readonly finalizing: boolean;
}

/** The additions to the object. */
export interface DecorateResponse {
  /** All desired attachments: others are deleted. */
  readonly attachments: readonly Child[];
  /** Labels to set on the object itself. Labels that an earlier response set and this one omits are removed. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations to set on the object itself. Annotations that an earlier response set and this one omits are removed. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** True from a finalize hook that has nothing left to do, so the object can be deleted. */
  readonly finalized?: boolean;
}

/** Decides what an object needs. It changes nothing itself. */
export type DecorateHook<T extends KubernetesObject> = (
  request: DecorateRequest<T>,
  options: { readonly signal: AbortSignal },
) => DecorateResponse | Promise<DecorateResponse>;

/** Returns a hook that calls a program over HTTP. */
export function webhook<T extends KubernetesObject>(url: string): DecorateHook<T> {
  return async (request, { signal }) => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(request), signal });
    if (!response.ok) throw new Error(`the hook ${url} returned ${response.status}: ${await response.text()}`);
    const answer = (await response.json()) as DecorateResponse;
    if (!Array.isArray(answer.attachments))
      throw new Error(`the response of the hook ${url} has no list "attachments"`);
    return answer;
  };
}
