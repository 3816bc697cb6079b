import { type FieldError, type FieldPath, forbiddenField, requiredField } from '@kubewright/apimachinery';
import type { Container, ContainerPort, EphemeralContainer, PodSpec } from '../generated/drafts.ts';
import {
  all,
  type Check,
  each,
  enumOf,
  fields,
  isEmpty,
  optional,
  required,
  rule,
  textRule,
  unique,
} from '../validation/check.ts';
import { checkPortName } from '../validation/names.ts';
import { dnsLabel, portNumber, protocol } from '../validation/rules.ts';
import { initResizePolicy, initRestartPolicy, resizePolicy, restartPolicy } from './container-restart-validation.ts';
import { env, envFrom } from './env-validation.ts';
import { lifecycle } from './lifecycle-validation.ts';
import { devices, type KnownVolumes, mounts } from './mount-validation.ts';
import { notFound } from './not-found.ts';
import { livenessProbe, readinessProbe } from './probe-validation.ts';
import { claimReferences } from './resource-claims-validation.ts';
import { resources } from './resources-validation.ts';
import { securityContext } from './security-context-validation.ts';

const port: Check<ContainerPort> = fields<ContainerPort>({
  name: optional(textRule(checkPortName)),
  containerPort: required(portNumber),
  hostPort: optional(portNumber),
  protocol: required(protocol),
});

const ports: Check<ContainerPort[]> = all(
  each(port),
  unique(
    ({ name }) => name || undefined,
    (path) => path.child('name'),
  ),
);

/** The pod or template whose containers are validated. */
export interface PodOfContainers {
  readonly spec: PodSpec;
  readonly volumes: KnownVolumes;
  /**
   * True for a template. Images in templates may have surrounding spaces, because some controllers use a blank image as
   * a placeholder.
   */
  readonly isTemplate: boolean;
}

/** Validates the fields that containers of all types share. */
function shared({ spec, volumes }: PodOfContainers): Check<Container> {
  return all(
    fields<Container>({
      name: required(dnsLabel),
      image: required(),
      terminationMessagePolicy: required(enumOf('File', 'FallbackToLogsOnError')),
      ports,
      env,
      envFrom,
    }),
    mounts(volumes),
    devices(volumes),
    fields<Container>({
      imagePullPolicy: required(enumOf('Always', 'IfNotPresent', 'Never')),
      resources: resources(claimReferences(spec)),
    }),
    resizePolicy(spec),
    fields<Container>({ securityContext: securityContext(spec.hostUsers !== false) }),
  );
}

const trimmedImage: Check<Container> = fields<Container>({
  image: rule((image) => image.trim() === image, 'must not have leading or trailing whitespace'),
});

const probes = (spec: PodSpec): Check<Container> =>
  fields<Container>({
    lifecycle: lifecycle(spec),
    livenessProbe,
    readinessProbe,
    startupProbe: livenessProbe,
  });

/** Validates the containers of a pod: at least one, with unique names and existing mounts. */
export function containers(pod: PodOfContainers): Check<Container[]> {
  const container: Check<Container> = all(
    shared(pod),
    probes(pod.spec),
    restartPolicy,
    pod.isTemplate ? () => [] : trimmedImage,
  );
  return (list, path) => {
    if (isEmpty(list)) return [requiredField(path)];
    return all<Container[]>(
      each(container),
      unique(({ name }) => name, name),
      hostPorts,
    )(list, path);
  };
}

const name = (path: FieldPath): FieldPath => path.child('name');

/** Validates init containers. Only sidecars (`restartPolicy: Always`) may have probes and hooks. */
export function initContainers(pod: PodOfContainers): Check<Container[]> {
  const { spec, isTemplate } = pod;
  const taken = new Set((spec.containers ?? []).map((container) => container.name));
  const distinct = unique<Container>(
    (container) => (taken.has(container.name) ? undefined : container.name || undefined),
    name,
  );
  const clash: Check<Container> = (container, at) =>
    container && taken.has(container.name) ? [duplicateName(container.name, at)] : [];
  const container: Check<Container> = all(
    shared(pod),
    initRestartPolicy,
    clash,
    (value, at) => (value?.restartPolicy === 'Always' ? probes(spec)(value, at) : withoutProbes(value, at)),
    initResizePolicy,
    isTemplate ? () => [] : trimmedImage,
  );
  // Init containers run one after another, so they may use the same host ports.
  const ownPorts: Check<Container[]> = (list, path) => (list ?? []).flatMap((one) => hostPorts([one], path));
  return all<Container[]>(each(container), distinct, ownPorts);
}

/** Rejects fields that regular init containers, which run to completion, may not have. */
const withoutProbes: Check<Container> = (container, path) => {
  const detail = 'may not be set for init containers without restartPolicy=Always';
  return (['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const)
    .filter((part) => container?.[part])
    .map((part) => forbiddenField(path.child(part), detail));
};

const allowedInEphemeral: ReadonlySet<string> = new Set([
  'name',
  'image',
  'command',
  'args',
  'workingDir',
  'envFrom',
  'env',
  'volumeMounts',
  'volumeDevices',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'imagePullPolicy',
  'securityContext',
  'stdin',
  'stdinOnce',
  'tty',
  'targetContainerName',
]);

/** Validates ephemeral containers: no probes, ports or resources, unique names, and existing targets. */
export function ephemeralContainers(pod: PodOfContainers): Check<EphemeralContainer[]> {
  const { spec } = pod;
  return (list, path) => {
    const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((one) => one.name));
    const names = new Set(others);
    const common: Check<Container> = all(shared(pod), trimmedImage);
    return (list ?? []).flatMap((container, index) => {
      const at = path.index(index);
      const { name: own, targetContainerName: target } = container;
      const faults = [...common(container, at)];
      if (names.has(own)) faults.push(duplicateName(own, at));
      names.add(own);
      if (target && !others.has(target)) faults.push(notFound(at.child('targetContainerName'), target));
      return [...faults, ...ephemeralFieldFaults(container, at)];
    });
  };
}

function ephemeralFieldFaults(container: EphemeralContainer, path: FieldPath): readonly FieldError[] {
  const detail = 'cannot be set for an Ephemeral Container';
  const set = Object.entries(container).filter(
    ([field, value]) => !allowedInEphemeral.has(field) && isSet(field, value),
  );
  const subPaths = (container.volumeMounts ?? []).flatMap((mount, index) =>
    (['subPath', 'subPathExpr'] as const)
      .filter((field) => mount[field])
      .map((field) => forbiddenField(path.child('volumeMounts').index(index).child(field), detail)),
  );
  return [...set.map(([field]) => forbiddenField(path.child(field), detail)), ...subPaths];
}

/** Fields that are pointers upstream, where an empty structure differs from an absent structure. */
const pointers: ReadonlySet<string> = new Set(['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']);

/** True for values that differ from Go's zero value. */
function isSet(field: string, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  return Array.isArray(value) || pointers.has(field) || !isEmpty(value);
}

function duplicateName(value: string, path: FieldPath): FieldError {
  return {
    type: 'FieldValueDuplicate',
    field: String(path.child('name')),
    body: `Duplicate value: ${JSON.stringify(value)}`,
  };
}

/** Rejects containers that use the same host port. */
const hostPorts: Check<Container[]> = (list, path) => {
  const seen = new Set<string>();
  return (list ?? []).flatMap((container, i) =>
    (container.ports ?? []).flatMap(({ hostPort, hostIP, protocol: kind }, j) => {
      if (!hostPort) return [];
      const key = `${kind}/${hostIP ?? ''}/${hostPort}`;
      if (!seen.has(key)) {
        seen.add(key);
        return [];
      }
      const field = String(path.index(i).child('ports').index(j).child('hostPort'));
      return [{ type: 'FieldValueDuplicate' as const, field, body: `Duplicate value: ${JSON.stringify(key)}` }];
    }),
  );
};
