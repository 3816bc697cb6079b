import { type FieldError, FieldPath, forbiddenField, invalidField } from '@kubewright/apimachinery';
import type {
  Container,
  ContainerStatus,
  Pod,
  PodCondition,
  PodResourceClaimStatus,
  PodSpec,
  PodStatus,
} from '../generated/drafts.ts';
import { all, type Check, each, immutable, present, unique } from '../validation/check.ts';
import { ipAddress } from '../validation/ip.ts';
import { dnsSubdomain, qualifiedName } from '../validation/rules.ts';
import { containerStatuses, ephemeralContainerStatuses } from './container-status-validation.ts';
import { extendedClaimFaults } from './pod-claim-status-validation.ts';

const path = FieldPath.of('status');
const systemConditions = new Set(['PodScheduled', 'Ready', 'Initialized']);

/** Validates an update of a pod's status, which kubelets and the scheduler write. */
export function podStatusFaults(pod: Pod, { spec: oldSpec, status: old }: Pod): readonly FieldError[] {
  const { spec, status } = pod;
  const ephemeralAt = path.child('ephemeralContainerStatuses');
  return [
    ...each(condition)(status.conditions, path.child('conditions')),
    ...nominationFaults(status.nominatedNodeName ?? '', {
      old: old.nominatedNodeName ?? '',
      isBound: !!oldSpec.nodeName,
    }),
    ...generationFaults(status.observedGeneration, path),
    ...immutable(status.qosClass, { old: old.qosClass, path: path.child('qosClass'), shown: status.qosClass ?? '' }),
    ...(['containerStatuses', 'initContainerStatuses'] as const).flatMap((name) => {
      const containers = name === 'containerStatuses' ? oldSpec.containers : oldSpec.initContainers;
      return revivedFaults(status[name], {
        old: old[name],
        path: path.child(name),
        canRestart: restartsOf(oldSpec, containers ?? []),
      });
    }),
    ...revivedFaults(status.ephemeralContainerStatuses, {
      old: old.ephemeralContainerStatuses,
      path: ephemeralAt,
      canRestart: () => false,
    }),
    ...claimStatuses(spec)(status.resourceClaimStatuses, path.child('resourceClaimStatuses')),
    ...extendedClaimFaults(pod),
    ...addressFaults(status.podIPs, { old: old.podIPs, path: path.child('podIPs') }),
    ...firstHostIpFaults(status, path.child('hostIPs')),
    ...addressFaults(status.hostIPs, { old: old.hostIPs, path: path.child('hostIPs') }),
    ...containerStatuses(spec.containers ?? [], spec.os)(status.containerStatuses, path.child('containerStatuses')),
    ...containerStatuses(spec.initContainers ?? [], spec.os)(
      status.initContainerStatuses,
      path.child('initContainerStatuses'),
    ),
    ...ephemeralContainerStatuses(spec.os)(status.ephemeralContainerStatuses, ephemeralAt),
  ];
}

function firstHostIpFaults({ hostIP = '', hostIPs }: PodStatus, path: FieldPath): readonly FieldError[] {
  const [first] = hostIPs ?? [];
  if (!first || (first.ip ?? '') === hostIP) return [];
  return [invalidField(path.index(0).child('ip'), first.ip, 'must be equal to `hostIP`')];
}

const condition: Check<PodCondition> = (value, at) => [
  ...generationFaults(value?.observedGeneration, at),
  // Upstream spells the field this way.
  ...(systemConditions.has(value?.type ?? '') ? [] : qualifiedName(value?.type, at.child('Type'))),
];

function generationFaults(generation: number | undefined, at: FieldPath): readonly FieldError[] {
  if (generation === undefined || generation >= 0) return [];
  return [invalidField(at.child('observedGeneration'), generation, 'must be a non-negative integer')];
}

function nominationFaults(
  name: string,
  { old, isBound }: { readonly old: string; readonly isBound: boolean },
): readonly FieldError[] {
  if (name === '' || name === old) return [];
  const at = path.child('nominatedNodeName');
  const bound = 'may not be set on pods that are already bound to a node';
  return [...dnsSubdomain(name, at), ...(isBound ? [forbiddenField(at, bound)] : [])];
}

/** Reports whether a terminated container may restart. */
type CanRestart = (name: string, exitCode: number) => boolean;

function restartsOf(spec: PodSpec, containers: readonly Container[]): CanRestart {
  const everything = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const canRestartAll = everything.some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
  );
  return (name, exitCode) => {
    if (canRestartAll) return true;
    const container = containers.find((one) => one.name === name);
    return container !== undefined && mayRestart(container, { spec, exitCode });
  };
}

/**
 * Reports whether a terminated container may restart. Unlike the kubelet, applies the policy `Always` to completed init
 * containers, too.
 */
function mayRestart(
  { restartPolicy, restartPolicyRules = [] }: Container,
  { spec, exitCode }: { readonly spec: PodSpec; readonly exitCode: number },
): boolean {
  const rule = restartPolicyRules.find(({ exitCodes }) => {
    const isListed = exitCodes?.values?.includes(exitCode) ?? false;
    return exitCodes?.operator === 'NotIn' ? !isListed : isListed;
  });
  if (restartPolicy !== undefined && rule?.action === 'Restart') return true;
  const policy = restartPolicy ?? spec.restartPolicy ?? 'Always';
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

/** Rejects a status in which a terminated container is no longer terminated, although it may not restart. */
function revivedFaults(
  statuses: readonly ContainerStatus[] = [],
  change: {
    readonly old: readonly ContainerStatus[] | undefined;
    readonly path: FieldPath;
    readonly canRestart: CanRestart;
  },
): readonly FieldError[] {
  return (change.old ?? []).flatMap(({ name, state }, index) => {
    const now = statuses.find((status) => status.name === name);
    if (!state?.terminated || !now || now.state?.terminated) return [];
    if (change.canRestart(name, state.terminated.exitCode)) return [];
    return [forbiddenField(change.path.index(index).child('state'), 'may not be transitioned to non-terminated state')];
  });
}

function claimStatuses({ resourceClaims = [] }: PodSpec): Check<PodResourceClaimStatus[]> {
  const known = new Set(resourceClaims.map(({ name }) => name));
  return all<PodResourceClaimStatus[]>(
    each<PodResourceClaimStatus>((status, at) => [
      ...present(dnsSubdomain)(status?.resourceClaimName, at.child('resourceClaimName')),
      ...(known.has(status?.name ?? '')
        ? []
        : [
            invalidField(
              at.child('name'),
              status?.name ?? '',
              'must match the name of an entry in `spec.resourceClaims`',
            ),
          ]),
    ]),
    unique<PodResourceClaimStatus>(
      ({ name }) => name,
      (at) => at.child('name'),
    ),
  );
}

/** Validates the addresses of a pod or of its node: at most one of each family. Stored addresses stay valid. */
function addressFaults(
  addresses: readonly { readonly ip: string }[] = [],
  change: { readonly old: readonly { readonly ip: string }[] | undefined; readonly path: FieldPath },
): readonly FieldError[] {
  const stored = new Set((change.old ?? []).map(({ ip }) => ip));
  const faults = addresses.flatMap(({ ip }, index) => (stored.has(ip) ? [] : ipAddress(ip, change.path.index(index))));
  const families = new Set(addresses.map(({ ip }) => ip.includes(':')));
  if (addresses.length === families.size || addresses.length < 2) return faults;
  const shown = addresses.map(({ ip }) => ({ IP: ip }));
  return [...faults, invalidField(change.path, shown, 'may specify no more than one IP for each IP family')];
}
