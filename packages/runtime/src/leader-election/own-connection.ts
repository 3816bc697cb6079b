import type { ClientInterceptor } from '@kubewright/client';

/**
 * Sends calls over dedicated connections. Over HTTP/1.1 the number of ordinary connections is limited, and a lease must be
 * renewed in time even if slow calls hold all of them.
 */
export const onOwnConnection: ClientInterceptor = (call, next) =>
  next({ ...call, request: { ...call.request, longRunning: true } });
