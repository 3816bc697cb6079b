import type { UserInfo } from '../authentication/authenticator.ts';
import type { ApiRequest } from '../http/api-request.ts';
import type { SlotHolder } from './slots.ts';

/**
 * Classifies a caller for the limits on requests and streams. Administrators and callers inside the process are privileged.
 * Nodes, the built-in control plane programs and service accounts of kube-system are system components, as in upstream's default
 * priority levels (1.36).
 */
export function slotHolder({ connection }: Pick<ApiRequest, 'connection'>, { username, groups }: UserInfo): SlotHolder {
  const privileged = connection.protocol === 'in-process' || groups.includes('system:masters');
  const system =
    groups.includes('system:nodes') ||
    groups.includes('system:serviceaccounts:kube-system') ||
    username === 'system:kube-controller-manager' ||
    username === 'system:kube-scheduler';
  return { username, privileged, system };
}
