import type { Transport, TransportRequest, TransportResponse } from '@kubewright/client';

/**
 * Sends lists and watches under one identity and everything else under another. Upstream's controller manager does the same: its
 * shared informers read as `system:kube-controller-manager`, and each controller acts under its own account.
 */
export class SplitIdentityTransport implements Transport {
  readonly #informers: Transport;
  readonly #actor: Transport;

  constructor(options: { readonly informers: Transport; readonly actor: Transport }) {
    this.#informers = options.informers;
    this.#actor = options.actor;
  }

  request(request: TransportRequest): Promise<TransportResponse> {
    const transport = request.method === 'GET' && isCollection(request.path) ? this.#informers : this.#actor;
    return transport.request(request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#informers[Symbol.asyncDispose](), this.#actor[Symbol.asyncDispose]()]);
  }
}

/** True for `/api/v1/pods` and `/apis/apps/v1/namespaces/x/deployments`; false for single objects and discovery. */
function isCollection(path: string): boolean {
  const segments =
    path
      .split('?', 1)[0]
      ?.split('/')
      .filter((segment) => segment !== '') ?? [];
  const below = segments.length - (segments[0] === 'api' ? 2 : 3);
  return below === 1 || (below === 3 && segments.at(-3) === 'namespaces');
}
