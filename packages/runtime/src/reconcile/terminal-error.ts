import { KubewrightError } from '@kubewright/apimachinery';
import type { ErrorText } from '@kubewright/apimachinery/internal';

/**
 * An error that is not retried until an event arrives. The reconcile is counted and logged as failed, but not requeued.
 *
 * @example
 * ```ts
 * throw new TerminalError('spec.version 9 is not supported');
 * ```
 */
export class TerminalError extends KubewrightError {
  override readonly name = 'TerminalError';
  /** Not retried until an event arrives. */
  readonly code = 'KW3002';

  constructor(text: string | ErrorText, options?: { readonly cause?: unknown }) {
    super(typeof text === 'string' ? { what: text } : text, options);
  }
}

/**
 * Returns the outermost error that `is` accepts among an error, its causes and the errors that it joins, like Go's
 * `errors.As`. Programs wrap errors to add context.
 */
export function findError<E>(error: unknown, is: (each: unknown) => each is E): E | undefined {
  const seen = new Set<unknown>();
  const find = (each: unknown): E | undefined => {
    if (is(each)) return each;
    if (!(each instanceof Error) || seen.has(each)) return undefined;
    seen.add(each);
    const joined: readonly unknown[] = each instanceof AggregateError ? each.errors : [];
    for (const inner of [each.cause, ...joined]) {
      const found = find(inner);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return find(error);
}
