import { type FieldError, type FieldPath, forbiddenField, invalidField, requiredField } from '@kubewright/apimachinery';
import { tooLongField } from '@kubewright/apimachinery/internal';
import type { HostAlias, PodSpec } from '../generated/drafts.ts';
import {
  all,
  between,
  type Check,
  each,
  enumOf,
  fields,
  optional,
  present,
  required,
  unique,
} from '../validation/check.ts';
import { ipAddress } from '../validation/ip.ts';
import { dnsLabel, dnsSubdomain, labels, qualifiedName } from '../validation/rules.ts';
import { containers, ephemeralContainers, initContainers } from './container-validation.ts';
import { containersOf } from './containers-of.ts';
import { dnsConfig } from './dns-validation.ts';
import { knownVolumes } from './mount-validation.ts';
import { notFound } from './not-found.ts';
import { operatingSystem } from './operating-system-validation.ts';
import { podResources } from './pod-resources-validation.ts';
import { podResourceClaims } from './resource-claims-validation.ts';
import { containerResourceName, requirements } from './resources-validation.ts';
import { affinity, spreadConstraints, toleration } from './scheduling-validation.ts';
import { podSecurityContext } from './security-context-validation.ts';
import { checkVolumes } from './volume-validation.ts';
import { hostProcesses } from './windows-validation.ts';

const hostAlias: Check<HostAlias> = fields<HostAlias>({ ip: ipAddress, hostnames: each(dnsSubdomain) });

const maxHostname = 64;

const placement: Check<PodSpec> = fields<PodSpec>({
  nodeSelector: labels,
  securityContext: podSecurityContext,
  affinity,
});

const simpleFields: Check<PodSpec> = fields<PodSpec>({
  readinessGates: each(fields({ conditionType: qualifiedName })),
  schedulingGates: (list, path) =>
    all<{ name: string }[]>(
      (gates, at) => (gates ?? []).flatMap(({ name }, index) => qualifiedName(name, at.index(index))),
      unique(({ name }) => name),
    )(list, path),
  topologySpreadConstraints: spreadConstraints,
  serviceAccountName: optional(dnsSubdomain),
  nodeName: optional(dnsSubdomain),
  activeDeadlineSeconds: present(between(1, 2_147_483_647)),
  hostname: optional(dnsLabel),
  subdomain: optional(dnsLabel),
  tolerations: each(toleration),
  hostAliases: each(hostAlias),
  priorityClassName: optional(dnsSubdomain),
  runtimeClassName: present(dnsSubdomain),
  preemptionPolicy: present(required(enumOf('PreemptLowerPriority', 'Never'))),
  overhead: (overhead, path) => requirements({ limits: overhead }, { path, nameRule: containerResourceName }),
});

/** Rejects invalid combinations of host namespaces and other fields. */
const hostNamespaces: Check<PodSpec> = (spec, path) => {
  if (!spec) return [];
  const faults: FieldError[] = [];
  if (spec.shareProcessNamespace && spec.hostPID) {
    const at = path.child('securityContext', 'shareProcessNamespace');
    faults.push(invalidField(at, true, 'ShareProcessNamespace and HostPID cannot both be enabled'));
  }
  if (spec.hostUsers !== false) return faults;
  const detail = 'when `hostUsers` is false';
  if (spec.hostNetwork) faults.push(forbiddenField(path.child('hostNetwork'), detail));
  // Upstream capitalizes these two names.
  if (spec.hostPID) faults.push(forbiddenField(path.child('HostPID'), detail));
  if (spec.hostIPC) faults.push(forbiddenField(path.child('HostIPC'), detail));
  const withDevices = containersOf(spec, path).filter(({ container }) => (container.volumeDevices ?? []).length > 0);
  return [...faults, ...withDevices.map(({ path: at }) => forbiddenField(at.child('volumeDevices'), detail))];
};

/** Validates `hostnameOverride`, which replaces the pod's name as its host name. */
const hostnameOverride: Check<PodSpec> = (spec, path) => {
  const name = spec?.hostnameOverride;
  if (name === undefined) return [];
  const at = path.child('hostnameOverride');
  return [
    ...(spec?.setHostnameAsFQDN ? [forbiddenField(at, 'may not be specified when setHostnameAsFQDN is true')] : []),
    ...(spec?.hostNetwork ? [forbiddenField(at, 'may not be specified when hostNetwork is true')] : []),
    ...(name.length > maxHostname ? [tooLongField(at, { max: maxHostname })] : []),
    ...dnsSubdomain(name, at),
  ];
};

/** Requires that container ports equal their host ports if the pod uses host networking. */
function hostNetworkPorts(
  spec: PodSpec,
  { path, isTemplate }: { readonly path: FieldPath; readonly isTemplate: boolean },
): readonly FieldError[] {
  if (!spec.hostNetwork) return [];
  return (spec.containers ?? []).flatMap(({ ports }, i) =>
    (ports ?? []).flatMap(({ hostPort = 0, containerPort }, j) => {
      if (hostPort === containerPort || (hostPort === 0 && isTemplate)) return [];
      const at = path.child('containers').index(i).child('ports').index(j).child('hostPort');
      return [invalidField(at, hostPort, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}

/** Validates variables that come from files: the files must be in `emptyDir` volumes. */
const fileVariables: Check<PodSpec> = (spec, path) => {
  if (!spec) return [];
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  return containersOf(spec, path).flatMap(({ container, path: at }) =>
    (container.env ?? []).flatMap(({ valueFrom }, index) => {
      if (!valueFrom?.fileKeyRef) return [];
      const name = valueFrom.fileKeyRef.volumeName;
      const field = at.child('env').index(index).child('valueFrom', 'fileKeyRef', 'volumeName');
      const volume = volumes.get(name);
      if (!volume) return [notFound(field, name ?? '')];
      return volume.emptyDir ? [] : [invalidField(field, name, 'referenced volume must be of type emptyDir')];
    }),
  );
};

/** Validates the spec of a pod or pod template. */
export function podSpec(
  spec: PodSpec | undefined,
  { path, isTemplate = false }: { readonly path: FieldPath; readonly isTemplate?: boolean },
): readonly FieldError[] {
  if (!spec) return [];
  const volumes = checkVolumes(spec.volumes ?? [], path.child('volumes'));
  const pod = { spec, volumes: knownVolumes(volumes.valid), isTemplate };
  return [
    ...(spec.terminationGracePeriodSeconds === undefined
      ? [requiredField(path.child('terminationGracePeriodSeconds'))]
      : []),
    ...volumes.faults,
    ...podResourceClaims(spec.resourceClaims, path.child('resourceClaims')),
    ...containers(pod)(spec.containers ?? undefined, path.child('containers')),
    ...initContainers(pod)(spec.initContainers, path.child('initContainers')),
    ...ephemeralContainers(pod)(spec.ephemeralContainers, path.child('ephemeralContainers')),
    ...podResources(spec, path),
    ...hostNetworkPorts(spec, { path, isTemplate }),
    ...required(enumOf('Always', 'OnFailure', 'Never'))(spec.restartPolicy, path.child('restartPolicy')),
    ...required(dnsPolicy)(spec.dnsPolicy, path.child('dnsPolicy')),
    ...placement(spec, path),
    ...dnsConfig(spec, path),
    ...simpleFields(spec, path),
    ...hostProcesses(spec, path),
    ...hostNamespaces(spec, path),
    ...hostnameOverride(spec, path),
    ...operatingSystem(spec, path),
    ...fileVariables(spec, path),
    ...(isTemplate ? [] : imageReferences(spec, path)),
    ...gatedNode(spec, path),
  ];
}

/** Requires the image of an image volume. In templates it may be absent, because an admission webhook can set it later. */
function imageReferences(spec: PodSpec, path: FieldPath): readonly FieldError[] {
  return (spec.volumes ?? []).flatMap(({ image }, index) =>
    image && !image.reference ? [requiredField(path.child('volumes').index(index).child('image', 'reference'))] : [],
  );
}

/** Rejects a node name for pods with scheduling gates. */
function gatedNode(spec: PodSpec, path: FieldPath): readonly FieldError[] {
  if (!spec.nodeName || (spec.schedulingGates ?? []).length === 0) return [];
  return [forbiddenField(path.child('nodeName'), 'cannot be set until all schedulingGates have been cleared')];
}

const dnsPolicy: Check<string> = enumOf('ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None');
