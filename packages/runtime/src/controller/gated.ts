import type { ClientCall } from '@kubewright/client';

/** True for calls that may change something. */
export function isWrite(call: ClientCall): boolean {
  return call.request.method !== 'GET' && call.request.method !== 'HEAD';
}

/** The call with a check that runs in the tick that hands it to the connection, after the checks it has already. */
export function gated(call: ClientCall, check: () => void): ClientCall {
  const { gate } = call.request;
  const both = (): void => {
    gate?.();
    check();
  };
  return { ...call, request: { ...call.request, gate: both } };
}
