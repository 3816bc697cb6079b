import type { Clock } from '@kubewright/apimachinery';

/**
 * The client of the cluster that an extension API server belongs to. `KubernetesClient` of `@kubewright/client` implements it.
 * Calls reject if the response is an error.
 */
export interface ClusterClient {
  request(request: {
    readonly method?: string;
    readonly path: string;
    readonly body?: unknown;
    readonly signal?: AbortSignal;
  }): Promise<unknown>;
}

/** The timeout of upstream's clients for reviews (1.36). */
const timeoutMs = 10_000;

/** Creates an object and returns the response, such as a review with its status. */
export async function post(
  client: ClusterClient,
  { path, body, clock }: { readonly path: string; readonly body: unknown; readonly clock: Clock },
): Promise<unknown> {
  const timeout = new AbortController();
  using _timer = clock.setTimer(timeoutMs, () => timeout.abort(new Error(`no response within ${timeoutMs / 1000} s`)));
  return await client.request({ method: 'POST', path, body, signal: timeout.signal });
}
