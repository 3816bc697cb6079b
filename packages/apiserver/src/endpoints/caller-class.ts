import type { UserInfo } from '../authentication/authenticator.ts';
import type { ApiRequest } from '../http/api-request.ts';
import type { SlotHolder } from './slots.ts';

/**
 * Classifies a caller for limits. Privileged are administrators and callers inside the process. The cluster's own components are
 * nodes, the built-in control plane programs and service accounts of kube-system, as in upstream's default priority levels (1.36).
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
