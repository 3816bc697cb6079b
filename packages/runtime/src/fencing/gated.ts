import type { ClientCall } from '@kubewright/client';

/** True for calls that may change something. A WebSocket request, such as `exec`, is a GET that starts something. */
export function isWrite({ request: { method, upgrade } }: ClientCall): boolean {
  return (method !== 'GET' && method !== 'HEAD') || upgrade === true;
}

/** Adds a check to a call, to run in the same tick in which the connection receives it, after the call's existing checks. */
export function gated(call: ClientCall, check: () => void): ClientCall {
  const { gate } = call.request;
  const both = (): void => {
    gate?.();
    check();
  };
  return { ...call, request: { ...call.request, gate: both } };
}
