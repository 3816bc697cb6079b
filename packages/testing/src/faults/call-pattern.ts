import type { ClientCall, Verb } from '@kubewright/client';

/**
 * Selects a client's calls. An unset field matches anything.
 *
 * @example
 * ```ts
 * const statusWrites: CallPattern = { kind: 'Shop', subresource: 'status' };
 * new Faults().conflict(statusWrites);
 * ```
 */
export interface CallPattern {
  readonly verb?: Verb;
  /** Such as `ConfigMap`. */
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Such as `status`. */
  readonly subresource?: string;
}

/** True if a pattern selects the call. */
export function selects({ verb, ...target }: CallPattern, call: ClientCall): boolean {
  if (verb !== undefined && verb !== call.verb) return false;
  const actual: CallPattern = call.target ?? {};
  return (Object.keys(target) as (keyof typeof target)[]).every(
    (field) => target[field] === undefined || target[field] === actual[field],
  );
}

/** Describes a pattern as `apply ConfigMap shop/settings`. */
export function describePattern({ verb, kind, namespace, name, subresource }: CallPattern): string {
  const object = [namespace, name].filter(Boolean).join('/');
  return [verb ?? 'any call', kind && [kind, subresource].filter(Boolean).join('/'), object].filter(Boolean).join(' ');
}
