import { apiVersionOf, type GroupVersionKind } from '@kubewright/apimachinery';

/** Thrown when calling a kind that the API server does not serve. */
export class UnknownKindError extends Error {
  /** Retry once the kind is installed. */
  readonly code = 'KW3004';

  /**
   * @param options.doing - the attempted operation, such as `list`.
   * @param options.served - versions of this kind that the server does serve.
   */
  constructor(kind: GroupVersionKind, options: { readonly doing: string; readonly served?: readonly string[] }) {
    const { doing, served = [] } = options;
    const what = `cannot ${doing} ${kind.kind} (${apiVersionOf(kind)}): the API server does not serve this kind`;
    const remedy =
      served.length > 0
        ? `it has ${kind.kind} in ${served.join(', ')}; check "version", or add it to the CustomResourceDefinition`
        : 'install its CustomResourceDefinition (kubectl apply -f …), or check "group" and "kind" of defineKind';
    super(`${what}; ${remedy}`);
    this.name = 'UnknownKindError';
  }
}
