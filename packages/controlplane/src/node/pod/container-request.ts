import type { Container, Pod } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import type { ContainerRequest, Driver, ImageReference, VolumeMount } from '../driver.ts';
import { containerEnvironment } from '../env/container-env.ts';
import { expandVariables } from '../env/expand.ts';
import type { PodVolumes } from '../volumes/pod-volumes.ts';
import type { PodHost } from './pod-host.ts';

/** A pod that is set up on the node. */
export interface PodSetup {
  readonly pod: Pod;
  readonly podIP: string;
  readonly folder: string | undefined;
  readonly volumes: PodVolumes;
}

/**
 * Resolves a container to a request for the driver.
 *
 * @throws ContainerConfigError or VolumeError if something that the pod refers to does not exist.
 */
export async function containerRequest(
  container: Container,
  context: {
    readonly setup: PodSetup;
    readonly host: PodHost;
    readonly image: ImageReference;
    readonly attempt: number;
    readonly output: ContainerRequest['output'];
    readonly extraMounts: readonly VolumeMount[];
  },
): Promise<ContainerRequest> {
  const { setup, host, image, attempt, output } = context;
  const { pod, podIP, volumes } = setup;
  const place = { podIP, hostIP: host.node.ip };
  const own = containerEnvironment(pod, container, {
    objects: host.objects,
    place,
    allocatable: host.settings.allocatable,
  });
  const env = new Map([...volumes.environmentOf(container), ...own]);
  const expand = (text: string): string => expandVariables(text, (name) => env.get(name));
  const mounts = await volumes.mountsOf(container, env);
  return {
    podUid: pod.metadata.uid ?? '',
    namespace: pod.metadata.namespace ?? '',
    podName: pod.spec?.hostname ?? pod.metadata.name ?? '',
    podIP,
    containerName: container.name,
    attempt,
    image,
    command: container.command?.map(expand),
    args: container.args?.map(expand),
    workingDir: container.workingDir,
    env,
    mounts: [...mounts, ...context.extraMounts],
    securityContext: userOf(pod, container),
    ports: (container.ports ?? []).map(({ name, containerPort, protocol = 'TCP' }) => ({
      ...defined({ name }),
      containerPort,
      protocol,
    })),
    ...defined({ stopSignal: container.lifecycle?.stopSignal, targetContainerName: targetOf(pod, container) }),
    stdin: container.stdin ? (container.stdinOnce ? 'once' : 'open') : 'none',
    tty: container.tty ?? false,
    output,
  };
}

function targetOf({ spec }: Pod, { name }: Container): string | undefined {
  // The API stores an empty name if no target is given.
  return spec?.ephemeralContainers?.find((each) => each.name === name)?.targetContainerName || undefined;
}

/** Returns the request with which a driver determines the user of a container. */
export function userRequest(pod: Pod, container: Container): Parameters<NonNullable<Driver['userOf']>>[0] {
  return {
    podUid: pod.metadata.uid ?? '',
    image: container.image ?? '',
    securityContext: userOf(pod, container),
  };
}

/** Returns the user and rights requested by a container, or else by the pod. Groups come from the pod. */
function userOf(pod: Pod, container: Container): ContainerRequest['securityContext'] {
  const { securityContext: ofPod } = pod.spec ?? {};
  const runAsUser = container.securityContext?.runAsUser ?? ofPod?.runAsUser;
  const runAsGroup = container.securityContext?.runAsGroup ?? ofPod?.runAsGroup;
  const groups = [...(ofPod?.fsGroup === undefined ? [] : [ofPod.fsGroup]), ...(ofPod?.supplementalGroups ?? [])];
  const runAsNonRoot = container.securityContext?.runAsNonRoot ?? ofPod?.runAsNonRoot;
  const { readOnlyRootFilesystem, allowPrivilegeEscalation, privileged, capabilities } =
    container.securityContext ?? {};
  return {
    ...defined({
      runAsUser,
      runAsGroup,
      runAsNonRoot,
      readOnlyRootFilesystem,
      allowPrivilegeEscalation,
      privileged,
      capabilities,
    }),
    ...(groups.length > 0 && { groups }),
  };
}
