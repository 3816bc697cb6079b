import type { Draft } from '@kubewright/apiserver';
import type { NotActedOn } from './not-acted-on.ts';

/** The fields of a pod's and a container's security that processes ignore. */
interface Security {
  readonly seccompProfile?: object;
  readonly appArmorProfile?: object;
  readonly seLinuxOptions?: object;
}

/** The fields of a container that processes ignore. */
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

/** Fields of pods that nodes whose containers are processes ignore. */
export const ignoredPodFields: readonly NotActedOn[] = [
  ignored('Limits of containers', {
    effect: 'are not enforced',
    of: ({ resources }) => Object.keys(resources?.limits ?? {}).length > 0,
  }),
  ignored('Capabilities, privileged mode and privilege escalation of containers', {
    effect: 'are neither granted nor restricted',
    of: ({ securityContext: { capabilities, privileged, allowPrivilegeEscalation } = {} }) =>
      capabilities !== undefined || privileged === true || allowPrivilegeEscalation === false,
  }),
  ignored('Seccomp, AppArmor and SELinux settings and read-only root file systems of containers', {
    effect: 'are not applied',
    of: ({ securityContext = {} }) => hasProfile(securityContext) || securityContext.readOnlyRootFilesystem === true,
    ofPod: ({ securityContext = {} }) => hasProfile(securityContext),
  }),
];

function ignored(
  what: string,
  {
    effect,
    of,
    ofPod,
  }: {
    readonly effect: string;
    /** True if a container has such a field. */
    readonly of: (container: IgnoringContainer) => boolean;
    /** True if the pod sets the field. @defaultValue never */
    readonly ofPod?: (pod: IgnoringPod) => boolean;
  },
): NotActedOn {
  const applies = ({ spec }: Draft): boolean => {
    const pod = (spec ?? {}) as IgnoringPod; // validated before
    return [...(pod.initContainers ?? []), ...(pod.containers ?? [])].some(of) || ofPod?.(pod) === true;
  };
  return { group: '', resources: ['pods'], what, effect, byProcesses: true, applies };
}

function hasProfile({ seccompProfile, appArmorProfile, seLinuxOptions }: Security): boolean {
  return (seccompProfile ?? appArmorProfile ?? seLinuxOptions) !== undefined;
}
