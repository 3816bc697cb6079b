import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import type { PodSecurityContext, PodSpec, SecurityContext } from '../generated/drafts.ts';
import type { Check } from '../validation/check.ts';
import { containersOf } from './containers-of.ts';

/** Pod fields that exist only on Linux. */
const linuxPodFields: readonly (keyof PodSpec)[] = ['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace'];
const linuxPodContext: readonly (keyof PodSecurityContext)[] = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
];
const linuxContext: readonly (keyof SecurityContext)[] = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

/** Validates the operating system of a pod, and rejects fields that this operating system does not support. */
export const operatingSystem: Check<PodSpec> = (spec, path) => {
  if (!spec?.os) return [];
  const { name } = spec.os;
  if (!name) return [requiredField(path.child('os', 'name'))];
  if (name === 'linux') return windowsFields(spec, path);
  if (name === 'windows') return linuxFields(spec, path);
  return [unsupportedField(path.child('os'), name, ['linux', 'windows'])];
};

function windowsFields(spec: PodSpec, path: FieldPath): readonly FieldError[] {
  const all = [{ container: spec, path }, ...containersOf(spec, path)];
  return all
    .filter(({ container }) => container.securityContext?.windowsOptions)
    .map(({ path: at }) =>
      forbiddenField(at.child('securityContext', 'windowsOptions'), 'windows options cannot be set for a linux pod'),
    );
}

function linuxFields(spec: PodSpec, path: FieldPath): readonly FieldError[] {
  return [
    ...setFields(spec, { names: linuxPodFields, path }),
    ...setFields(spec.securityContext, { names: linuxPodContext, path: path.child('securityContext') }),
    ...containersOf(spec, path).flatMap(({ container, path: at }) =>
      setFields(container.securityContext, { names: linuxContext, path: at.child('securityContext') }),
    ),
  ];
}

function setFields<T extends object>(
  value: T | undefined,
  { names, path }: { readonly names: readonly (keyof T & string)[]; readonly path: FieldPath },
): readonly FieldError[] {
  if (!value) return [];
  return names
    .filter((name) => isSet(name, value[name]))
    .map((name) => forbiddenField(path.child(name), 'cannot be set for a windows pod'));
}

/**
 * True if a field is set. `hostPID`, `hostIPC` and `sysctls` are not pointers upstream, so false and an empty list count as absent.
 */
function isSet(name: string, value: unknown): boolean {
  if (name === 'hostPID' || name === 'hostIPC') return value === true;
  if (name === 'sysctls') return Array.isArray(value) && value.length > 0;
  return value !== undefined && value !== null;
}
