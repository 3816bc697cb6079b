import { defined, parseExactJson } from '@kubewright/apimachinery/internal';
import type { ClientInterceptor, Verb } from '@kubewright/client';

/** A write that the API server accepted. */
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
      ...defined({ namespace, name, subresource }),
      ...(request.body && { body: parseExactJson(Buffer.from(request.body).toString('utf8')) }),
    });
    return response;
  };
}
