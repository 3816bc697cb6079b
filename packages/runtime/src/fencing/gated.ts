import type { ClientCall } from '@kubewright/client';

/** Reports whether a call may change state. A WebSocket request, such as `exec`, is a GET that may change state. */
export function isWrite({ request: { method, upgrade } }: ClientCall): boolean {
  return (method !== 'GET' && method !== 'HEAD') || upgrade === true;
}

/**
 * Adds a check to a call. The check runs after the call's existing checks, in the tick in which the connection receives
 * the call.
 */
export function gated(call: ClientCall, check: () => void): ClientCall {
  const { gate } = call.request;
  const both = (): void => {
    gate?.();
    check();
  };
  return { ...call, request: { ...call.request, gate: both } };
}
