import {
  checkDns1123Subdomain,
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import type { HostAlias, PodDNSConfig, PodSecurityContext, PodSpec } from '../generated/drafts.ts';
import {
  all,
  between,
  type Check,
  each,
  enumOf,
  fields,
  isEmpty,
  optional,
  present,
  required,
  rule,
  unique,
} from '../validation/check.ts';
import { ipAddress } from '../validation/ip.ts';
import { dnsLabel, dnsSubdomain, labels, qualifiedName } from '../validation/rules.ts';
import { containers, ephemeralContainers, id, initContainers } from './container-validation.ts';
import { affinity, spreadConstraints, toleration } from './scheduling-validation.ts';
import { volumes } from './volume-validation.ts';

const sysctl = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const sysctlText =
  'must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';

const securityContext: Check<PodSecurityContext> = fields<PodSecurityContext>({
  fsGroup: present(id),
  runAsUser: present(id),
  runAsGroup: present(id),
  supplementalGroups: each(id),
  sysctls: each(fields({ name: required(rule((name) => name.length <= 253 && sysctl.test(name), sysctlText)) })),
  fsGroupChangePolicy: present(enumOf('Always', 'OnRootMismatch')),
});

const hostAlias: Check<HostAlias> = fields<HostAlias>({ ip: ipAddress, hostnames: each(dnsSubdomain) });

/** Search domains may contain underscores and end with a dot. */
const searchDomain: Check<string> = (value, path) => {
  const plain = (value ?? '').replace(/\.$/, '').replaceAll('_', '-');
  if (value === '.' || checkDns1123Subdomain(plain).length === 0) return [];
  const part = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
  const detail =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character " +
    `(e.g. 'example.com', regex used for validation is '${part}(\\.${part})*')`;
  return [invalidField(path, value ?? '', detail)];
};

const dnsConfig: Check<PodDNSConfig> = fields<PodDNSConfig>({
  nameservers: each(ipAddress),
  searches: each(searchDomain),
  options: (list, path) =>
    (list ?? []).flatMap(({ name }, index) => (name ? [] : [requiredField(path.index(index), 'must not be empty')])),
});

const simpleFields: Check<PodSpec> = fields<PodSpec>({
  nodeSelector: labels,
  serviceAccountName: optional(dnsSubdomain),
  nodeName: optional(dnsSubdomain),
  activeDeadlineSeconds: present(between(1, 2_147_483_647)),
  securityContext,
  hostname: optional(dnsLabel),
  subdomain: optional(dnsLabel),
  tolerations: each(toleration),
  hostAliases: each(hostAlias),
  priorityClassName: optional(dnsSubdomain),
  runtimeClassName: present(dnsSubdomain),
  preemptionPolicy: present(enumOf('PreemptLowerPriority', 'Never')),
  dnsConfig,
  affinity,
  topologySpreadConstraints: spreadConstraints,
  readinessGates: each(fields({ conditionType: qualifiedName })),
  schedulingGates: (list, path) =>
    all<{ name: string }[]>(
      (gates, at) => (gates ?? []).flatMap(({ name }, index) => qualifiedName(name, at.index(index))),
      unique(({ name }) => name),
    )(list, path),
});

/** Rules that involve several fields. */
const together: Check<PodSpec> = (spec, path) => {
  if (!spec) return [];
  const faults: FieldError[] = [];
  if (spec.dnsPolicy === 'None' && isEmpty(spec.dnsConfig)) {
    faults.push(requiredField(path.child('dnsConfig'), 'must provide `dnsConfig` when `dnsPolicy` is None'));
  }
  if (spec.nodeName && (spec.schedulingGates ?? []).length > 0) {
    faults.push(forbiddenField(path.child('nodeName'), 'cannot be set until all schedulingGates have been cleared'));
  }
  if (spec.shareProcessNamespace && spec.hostPID) {
    const at = path.child('securityContext', 'shareProcessNamespace');
    faults.push(invalidField(at, true, 'ShareProcessNamespace and HostPID cannot both be enabled'));
  }
  if (spec.os && spec.os.name !== 'linux' && spec.os.name !== 'windows') {
    faults.push(unsupportedField(path.child('os'), spec.os.name, ['linux', 'windows']));
  }
  return [...faults, ...hostNetworkPorts(spec, path)];
};

const hostNetworkPorts = (spec: PodSpec, path: Parameters<Check<PodSpec>>[1]): readonly FieldError[] => {
  if (!spec.hostNetwork) return [];
  return (['containers', 'initContainers'] as const).flatMap((field) =>
    (spec[field] ?? []).flatMap(({ ports }, i) =>
      (ports ?? []).flatMap(({ hostPort, containerPort }, j) => {
        if ((hostPort ?? 0) === containerPort) return [];
        const at = path
          .child(field)
          .index(i)
          .child('ports')
          .index(j)
          .child(hostPort ? 'hostPort' : 'containerPort');
        const detail = hostPort
          ? 'must match `containerPort` when `hostNetwork` is true'
          : 'must match `hostPort` when `hostNetwork` is true';
        return [invalidField(at, hostPort || containerPort, detail)];
      }),
    ),
  );
};

/** A pod spec, also in templates. */
export const podSpec: Check<PodSpec> = (spec, path) => {
  if (!spec) return [];
  return [
    ...volumes(spec.volumes, path.child('volumes')),
    ...containers(spec)(spec.containers ?? undefined, path.child('containers')),
    ...initContainers(spec)(spec.initContainers, path.child('initContainers')),
    ...ephemeralContainers(spec)(spec.ephemeralContainers, path.child('ephemeralContainers')),
    ...required(enumOf('Always', 'OnFailure', 'Never'))(spec.restartPolicy, path.child('restartPolicy')),
    ...required(dnsPolicy)(spec.dnsPolicy, path.child('dnsPolicy')),
    ...simpleFields(spec, path),
    ...together(spec, path),
  ];
};

const dnsPolicy: Check<string> = enumOf('ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None');
