import type { Draft } from '@kubewright/apiserver';
import type { NotActedOn } from './not-acted-on.ts';

/** Security settings of a pod or container that have no effect on a process. */
interface Security {
  readonly seccompProfile?: object;
  readonly appArmorProfile?: object;
  readonly seLinuxOptions?: object;
}

/** Container fields that have no effect on a process. */
interface IgnoringContainer {
  readonly resources?: { readonly limits?: object };
  readonly securityContext?: Security & {
    readonly capabilities?: object;
    readonly privileged?: boolean;
    readonly allowPrivilegeEscalation?: boolean;
    readonly readOnlyRootFilesystem?: boolean;
  };
}

interface IgnoringPod {
  readonly containers?: readonly IgnoringContainer[];
  readonly initContainers?: readonly IgnoringContainer[];
  readonly securityContext?: Security;
}

/** Pod fields that a node ignores if it runs containers as processes. */
export const ignoredPodFields: readonly NotActedOn[] = [
  ignored('Limits of containers', {
    effect: 'are not enforced',
    isSetIn: ({ resources }) => Object.keys(resources?.limits ?? {}).length > 0,
  }),
  ignored('Capabilities, privileged mode and privilege escalation of containers', {
    effect: 'are neither granted nor restricted',
    isSetIn: ({ securityContext: { capabilities, privileged, allowPrivilegeEscalation } = {} }) =>
      capabilities !== undefined || privileged === true || allowPrivilegeEscalation === false,
  }),
  ignored('Seccomp, AppArmor and SELinux settings and read-only root file systems of containers', {
    effect: 'are not applied',
    isSetIn: ({ securityContext = {} }) =>
      hasProfile(securityContext) || securityContext.readOnlyRootFilesystem === true,
    isSetInPod: ({ securityContext = {} }) => hasProfile(securityContext),
  }),
];

function ignored(
  what: string,
  {
    effect,
    isSetIn,
    isSetInPod,
  }: {
    readonly effect: string;
    /** True if the container sets one of the ignored fields. */
    readonly isSetIn: (container: IgnoringContainer) => boolean;
    /** True if the pod sets one of the ignored fields. @defaultValue never */
    readonly isSetInPod?: (pod: IgnoringPod) => boolean;
  },
): NotActedOn {
  const applies = ({ spec }: Draft): boolean => {
    const pod = (spec ?? {}) as IgnoringPod; // validated before
    return [...(pod.initContainers ?? []), ...(pod.containers ?? [])].some(isSetIn) || isSetInPod?.(pod) === true;
  };
  return { group: '', resources: ['pods'], what, effect, byProcesses: true, applies };
}

function hasProfile({ seccompProfile, appArmorProfile, seLinuxOptions }: Security): boolean {
  return (seccompProfile ?? appArmorProfile ?? seLinuxOptions) !== undefined;
}
