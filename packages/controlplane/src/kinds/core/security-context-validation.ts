import { type FieldError, invalidField, requiredField, unsupportedField } from '@kubewright/apimachinery';
import { tooLongField } from '@kubewright/apimachinery/internal';
import type { AppArmorProfile, PodSecurityContext, SeccompProfile, SecurityContext } from '../generated/drafts.ts';
import {
  all,
  between,
  type Check,
  each,
  enumOf,
  fields,
  present,
  required,
  rule,
  unique,
} from '../validation/check.ts';
import { relativePath } from '../validation/rules.ts';
import { windowsOptions } from './windows-validation.ts';

/** Validates a user or group ID. */
const id: Check<number> = between(0, 2_147_483_647);

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];

const seccompProfile: Check<SeccompProfile> = (profile, path) => {
  if (!profile) return [];
  const { type, localhostProfile } = profile;
  const at = path.child('localhostProfile');
  const faults: FieldError[] = type
    ? [...enumOf(...profileTypes)(type, path.child('type'))]
    : [requiredField(path.child('type'), 'type is required when seccompProfile is set')];
  if (type === 'Localhost') {
    if (localhostProfile === undefined) faults.push(requiredField(at, 'must be set when seccomp type is Localhost'));
    else faults.push(...relativePath(localhostProfile, at));
  } else if (localhostProfile !== undefined) {
    faults.push(invalidField(at, goProfile(profile), 'can only be set when seccomp type is Localhost'));
  }
  return faults;
};

/** The longest path on Linux, excluding the terminating zero. */
const maxPathBytes = 4095;

const appArmorProfile: Check<AppArmorProfile> = (profile, path) => {
  if (!profile) return [];
  const { type, localhostProfile } = profile;
  const at = path.child('localhostProfile');
  if (!type) return [requiredField(path.child('type'), 'type is required when appArmorProfile is set')];
  if (!profileTypes.includes(type)) return [unsupportedField(path.child('type'), type, profileTypes)];
  if (type !== 'Localhost') {
    if (localhostProfile === undefined) return [];
    return [invalidField(at, localhostProfile, 'can only be set when AppArmor type is Localhost')];
  }
  const faults: FieldError[] = [];
  const name = localhostProfile?.trim();
  if (name !== localhostProfile) faults.push(invalidField(at, localhostProfile, 'must not be padded with whitespace'));
  else if (!name) faults.push(requiredField(at, 'must be set when AppArmor type is Localhost'));
  if (Buffer.byteLength(localhostProfile ?? '') > maxPathBytes) faults.push(tooLongField(at, { max: maxPathBytes }));
  return faults;
};

/** Validates the security context of a container. `hostUsers` is false for a pod with its own user namespace. */
export function securityContext(hostUsers: boolean): Check<SecurityContext> {
  const procMount: Check<string> = (value, path) => [
    ...enumOf('Default', 'Unmasked')(value, path),
    ...(hostUsers && value === 'Unmasked'
      ? [invalidField(path, value, '`hostUsers` must be false to use `Unmasked`')]
      : []),
  ];
  return all(
    fields<SecurityContext>({
      runAsUser: present(id),
      runAsGroup: present(id),
      procMount: present(procMount),
      seccompProfile,
    }),
    escalation,
    fields<SecurityContext>({ windowsOptions, appArmorProfile }),
  );
}

/** Rejects contexts that both forbid and imply privilege escalation. */
const escalation: Check<SecurityContext> = (context, path) => {
  if (context?.allowPrivilegeEscalation !== false) return [];
  const conflict = (other: string): FieldError =>
    invalidField(path, goSecurityContext(context), `cannot set \`allowPrivilegeEscalation\` to false and ${other}`);
  const added = (context.capabilities?.add ?? []).filter((capability) => capability === 'CAP_SYS_ADMIN');
  return [
    ...(context.privileged ? [conflict('`privileged` to true')] : []),
    ...added.map(() => conflict('`capabilities.Add` CAP_SYS_ADMIN')),
  ];
};

/** Formats a security context with Go's field names, for error messages. */
function goSecurityContext(context: SecurityContext): Record<string, unknown> {
  const { capabilities, seLinuxOptions, windowsOptions, seccompProfile, appArmorProfile } = context;
  return {
    Capabilities: capabilities ? { Add: capabilities.add ?? null, Drop: capabilities.drop ?? null } : null,
    Privileged: context.privileged ?? null,
    SELinuxOptions: seLinuxOptions
      ? {
          User: seLinuxOptions.user ?? '',
          Role: seLinuxOptions.role ?? '',
          Type: seLinuxOptions.type ?? '',
          Level: seLinuxOptions.level ?? '',
        }
      : null,
    WindowsOptions: windowsOptions
      ? {
          GMSACredentialSpecName: windowsOptions.gmsaCredentialSpecName ?? null,
          GMSACredentialSpec: windowsOptions.gmsaCredentialSpec ?? null,
          RunAsUserName: windowsOptions.runAsUserName ?? null,
          HostProcess: windowsOptions.hostProcess ?? null,
        }
      : null,
    RunAsUser: context.runAsUser ?? null,
    RunAsGroup: context.runAsGroup ?? null,
    RunAsNonRoot: context.runAsNonRoot ?? null,
    ReadOnlyRootFilesystem: context.readOnlyRootFilesystem ?? null,
    AllowPrivilegeEscalation: context.allowPrivilegeEscalation ?? null,
    ProcMount: context.procMount ?? null,
    SeccompProfile: seccompProfile ? goProfile(seccompProfile) : null,
    AppArmorProfile: appArmorProfile ? goProfile(appArmorProfile) : null,
  };
}

function goProfile({ type, localhostProfile }: SeccompProfile | AppArmorProfile): Record<string, unknown> {
  return { Type: type ?? '', LocalhostProfile: localhostProfile ?? null };
}

const sysctl = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const sysctlText =
  'must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';

/** Validates the security context of a pod. */
export const podSecurityContext: Check<PodSecurityContext> = fields<PodSecurityContext>({
  fsGroup: present(id),
  runAsUser: present(id),
  runAsGroup: present(id),
  supplementalGroups: each(id),
  sysctls: all<{ name: string }[]>(
    each(fields({ name: required(rule((name) => name.length <= 253 && sysctl.test(name), sysctlText)) })),
    unique(
      ({ name }) => name || undefined,
      (path) => path.child('name'),
    ),
  ),
  fsGroupChangePolicy: present(enumOf('Always', 'OnRootMismatch')),
  seccompProfile,
  windowsOptions,
  appArmorProfile,
  supplementalGroupsPolicy: present(enumOf('Merge', 'Strict')),
  // `MountOption` is behind a feature gate that is off by default.
  seLinuxChangePolicy: present(enumOf('Recursive')),
});
