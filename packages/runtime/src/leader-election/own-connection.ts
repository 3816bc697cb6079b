import type { ClientInterceptor } from '@kubewright/client';

/**
 * Sends calls over connections apart from ordinary ones, whose number is limited over HTTP/1.1: a lease must be renewed in
 * time however many slow calls hold all of those.
 */
export const onOwnConnection: ClientInterceptor = (call, next) =>
  next({ ...call, request: { ...call.request, longRunning: true } });
