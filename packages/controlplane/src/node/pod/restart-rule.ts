import type { Container, ContainerStateTerminated, Pod } from '@kubewright/apimachinery/core/v1';
import type { ContainerSlot } from './container-slot.ts';
import { containerOf } from './container-slot.ts';

/** Returns true if an exited container must be restarted. The container's own rules and policy take precedence over the pod's. */
export function shouldRestart(pod: Pod, slot: ContainerSlot, terminated: ContainerStateTerminated): boolean {
  if (slot.role === 'sidecar') return true;
  if (slot.role === 'ephemeral') return false;
  const container = containerOf(pod, slot.name);
  if (container && restartRuleMatches(container, terminated.exitCode)) return true;
  const policy = container?.restartPolicy ?? pod.spec?.restartPolicy ?? 'Always';
  if (terminated.exitCode === 0) return slot.role === 'main' && policy === 'Always';
  return policy !== 'Never';
}

function restartRuleMatches(container: Container, exitCode: number): boolean {
  return (container.restartPolicyRules ?? []).some(({ action, exitCodes }) => {
    const listed = exitCodes?.values?.includes(exitCode) ?? false;
    return action === 'Restart' && (exitCodes?.operator === 'NotIn' ? !listed : listed);
  });
}
