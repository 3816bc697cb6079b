import { type FieldError, type FieldPath, forbiddenField, invalidField, requiredField } from '@kubewright/apimachinery';
import { quote } from '@kubewright/apimachinery/internal';
import type {
  Container,
  ContainerPort,
  EphemeralContainer,
  Lifecycle,
  PodSpec,
  SecurityContext,
  VolumeMount,
} from '../generated/drafts.ts';
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
  textRule,
  unique,
} from '../validation/check.ts';
import { checkPortName } from '../validation/names.ts';
import { dnsLabel, portNumber, protocol, relativePath } from '../validation/rules.ts';
import { env, envFrom } from './env-validation.ts';
import { handlers, livenessProbe, readinessProbe } from './probe-validation.ts';
import { resources } from './resources-validation.ts';

/** A user or group ID. */
export const id: Check<number> = between(0, 2_147_483_647);

const port: Check<ContainerPort> = fields<ContainerPort>({
  name: optional(textRule(checkPortName)),
  containerPort: required(portNumber),
  hostPort: optional(portNumber),
  protocol: required(protocol),
});

const ports: Check<ContainerPort[]> = all(
  each(port),
  unique(
    ({ name }) => name,
    (path) => path.child('name'),
  ),
);

const lifecycle: Check<Lifecycle> = fields<Lifecycle>({ postStart: present(handlers), preStop: present(handlers) });

const securityContext: Check<SecurityContext> = all(
  fields<SecurityContext>({ runAsUser: present(id), runAsGroup: present(id) }),
  (context, path) =>
    context?.allowPrivilegeEscalation === false && context.privileged
      ? [
          invalidField(
            path,
            goSecurityContext(context),
            'cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
          ),
        ]
      : [],
);

/** Formats the structure with Go's field names for the message. */
function goSecurityContext(context: SecurityContext): Record<string, unknown> {
  const names: readonly (keyof SecurityContext)[] = [
    'capabilities',
    'privileged',
    'seLinuxOptions',
    'windowsOptions',
    'runAsUser',
    'runAsGroup',
    'runAsNonRoot',
    'readOnlyRootFilesystem',
    'allowPrivilegeEscalation',
    'procMount',
    'seccompProfile',
    'appArmorProfile',
  ];
  const goName = (name: string): string =>
    name === 'seLinuxOptions' ? 'SELinuxOptions' : name.charAt(0).toUpperCase() + name.slice(1);
  return Object.fromEntries(names.map((name) => [goName(name), context[name] ?? null]));
}

/** Rules for containers of every type. */
const shared: Check<Container> = fields<Container>({
  name: required(dnsLabel),
  image: required(rule((image) => image.trim() === image, 'must not have leading or trailing whitespace')),
  ports,
  env,
  envFrom,
  terminationMessagePolicy: required(enumOf('File', 'FallbackToLogsOnError')),
  imagePullPolicy: required(enumOf('Always', 'IfNotPresent', 'Never')),
  resources,
  securityContext,
});

/** The containers of a pod: at least one, unique names, existing mounts. */
export function containers(spec: PodSpec): Check<Container[]> {
  return (list, path) => {
    if (isEmpty(list)) return [requiredField(path)];
    const each1: Check<Container> = all(
      shared,
      mounts(spec),
      fields<Container>({ lifecycle, livenessProbe, readinessProbe, startupProbe: livenessProbe }),
    );
    return all<Container[]>(
      each(each1),
      unique(({ name }) => name, name),
      hostPorts,
    )(list, path);
  };
}

const name = (path: FieldPath): FieldPath => path.child('name');

/** Init containers: only sidecars (`restartPolicy: Always`) may have probes and hooks. */
export function initContainers(spec: PodSpec): Check<Container[]> {
  return (list, path) => {
    const taken = new Set((spec.containers ?? []).map((container) => container.name));
    const distinct = unique<Container>((container) => container.name, name);
    const clash: Check<Container> = (container, at) =>
      container && taken.has(container.name) ? [duplicateName(container.name, at)] : [];
    return all<Container[]>(each(all(shared, mounts(spec), clash, initOnly)), distinct)(list, path);
  };
}

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

/** Ephemeral containers: no probes, ports or resources, names that no other container has, existing targets. */
export function ephemeralContainers(spec: PodSpec): Check<EphemeralContainer[]> {
  return (list, path) => {
    const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((one) => one.name));
    const names = new Set(others);
    const common: Check<Container> = all(shared, mounts(spec));
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
  const set = Object.entries(container).filter(([field, value]) => !allowedInEphemeral.has(field) && isSet(value));
  const subPaths = (container.volumeMounts ?? []).flatMap((mount, index) =>
    (['subPath', 'subPathExpr'] as const)
      .filter((field) => mount[field])
      .map((field) => forbiddenField(path.child('volumeMounts').index(index).child(field), detail)),
  );
  return [...set.map(([field]) => forbiddenField(path.child(field), detail)), ...subPaths];
}

/** Returns true for values that differ from Go's zero value; an empty list is set, an empty structure is not. */
function isSet(value: unknown): boolean {
  return Array.isArray(value) || !isEmpty(value);
}

function duplicateName(value: string, path: FieldPath): FieldError {
  return {
    type: 'FieldValueDuplicate',
    field: String(path.child('name')),
    body: `Duplicate value: ${JSON.stringify(value)}`,
  };
}

const initOnly: Check<Container> = (container, path) => {
  if (!container) return [];
  const policy = present(enumOf('Always', 'Never', 'OnFailure'))(container.restartPolicy, path.child('restartPolicy'));
  if (container.restartPolicy === 'Always') {
    return [
      ...policy,
      ...fields<Container>({ lifecycle, livenessProbe, readinessProbe, startupProbe: livenessProbe })(container, path),
    ];
  }
  const probes = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;
  const detail = 'may not be set for init containers without restartPolicy=Always';
  return [
    ...policy,
    ...probes.filter((part) => container[part]).map((part) => forbiddenField(path.child(part), detail)),
  ];
};

function mounts(spec: PodSpec): Check<Container> {
  const known = new Set((spec.volumes ?? []).map((volume) => volume.name));
  const devices = new Set<string>();
  return (container, path) => {
    const at = path.child('volumeMounts');
    const seen = new Set<string>();
    for (const device of container?.volumeDevices ?? []) devices.add(device.name);
    return (container?.volumeMounts ?? []).flatMap((mount, index) => {
      const faults = mountFaults(mount, { path: at.index(index), list: at, known });
      if (mount.mountPath !== '' && seen.has(mount.mountPath)) {
        faults.push(invalidField(at.index(index).child('mountPath'), mount.mountPath, 'must be unique'));
      }
      seen.add(mount.mountPath);
      return faults;
    });
  };
}

/** A name that does not exist. */
function notFound(path: FieldPath, name: string | undefined): FieldError {
  const shown = name === undefined ? 'null' : quote(name);
  return { type: 'FieldValueNotFound', field: String(path), body: `Not found: ${shown}` };
}

function mountFaults(
  mount: VolumeMount,
  at: { readonly path: FieldPath; readonly list: FieldPath; readonly known: ReadonlySet<string> },
): FieldError[] {
  const faults: FieldError[] = [];
  if (!mount.name) faults.push(requiredField(at.path.child('name')));
  if (!at.known.has(mount.name)) faults.push(notFound(at.path.child('name'), mount.name));
  if (!mount.mountPath) faults.push(requiredField(at.path.child('mountPath')));
  // Upstream omits the index in the paths of these two.
  if (mount.subPath) faults.push(...relativePath(mount.subPath, at.list.child('subPath')));
  if (mount.subPathExpr) faults.push(...relativePath(mount.subPathExpr, at.list.child('subPathExpr')));
  return faults;
}

/** Rejects containers that share a host port. */
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
