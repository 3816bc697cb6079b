import { apiVersionOf, type GroupVersionKind, KubewrightError } from '@kubewright/apimachinery';

/** Thrown when calling a kind that the API server does not serve. */
export class UnknownKindError extends KubewrightError {
  override readonly name = 'UnknownKindError';
  /** Retry once the kind is installed. */
  readonly code = 'KW3004';

  /**
   * @param options.doing - the attempted operation, such as `list`.
   * @param options.served - versions of the kind that the server serves.
   */
  constructor(kind: GroupVersionKind, options: { readonly doing: string; readonly served?: readonly string[] }) {
    const { doing, served = [] } = options;
    const remedy =
      served.length > 0
        ? `use version ${served.join(' or ')}, or add this version to the CustomResourceDefinition`
        : 'install its CustomResourceDefinition (kubectl apply -f …), or check "group" and "kind" of defineKind';
    super({
      what: `cannot ${doing} ${kind.kind} (${apiVersionOf(kind)})`,
      why: 'the API server does not serve this kind',
      remedy,
    });
  }
}
