import type { ClientInterceptor, Verb } from '@kubewright/client';

/**
 * A write that the API server accepted.
 *
 * @example
 * ```ts
 * const titleOf = ({ verb, kind, name }: RecordedWrite): string => `${verb} ${kind} ${name}`;
 * const { writes } = await reconcileOnce(websites, { namespace: 'shop', name: 'home' }, { client });
 * expect(writes.map(titleOf)).toEqual(['apply ConfigMap home']);
 * ```
 */
export interface RecordedWrite {
  readonly verb: Exclude<Verb, 'get' | 'list' | 'watch'>;
  /** The kind, such as `ConfigMap`. */
  readonly kind: string;
  readonly namespace?: string;
  /** Absent for collections and for generated names. */
  readonly name?: string;
  /** Such as `status`. */
  readonly subresource?: string;
  /** The object or patch that was sent; absent for deletes without options. */
  readonly body?: unknown;
}

/** Returns an interceptor that records the accepted writes of a client. */
export function recordingWrites(into: RecordedWrite[]): ClientInterceptor {
  return async (call, next) => {
    const response = await next(call);
    const { verb, target, request } = call;
    if (!target || verb === 'get' || verb === 'list' || verb === 'watch' || response.status >= 300) return response;
    const { kind, namespace, name, subresource } = target;
    into.push({
      verb,
      kind,
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
      ...(subresource !== undefined && { subresource }),
      ...(request.body && { body: JSON.parse(Buffer.from(request.body).toString('utf8')) as unknown }),
    });
    return response;
  };
}
