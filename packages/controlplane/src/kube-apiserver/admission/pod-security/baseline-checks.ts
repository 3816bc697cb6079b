import {
  type CheckedPod,
  containersOf,
  exceptUserNamespaces,
  type HandlerHosts,
  named,
  type PodCheck,
  plural,
  quoted,
  type SecurityCheck,
  settersOf,
  sortedUnique,
} from './security-check.ts';

const appArmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/';
const defaultCapabilities: ReadonlySet<string> = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
);
const seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t'];
const safeSysctls = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
/** Sysctls that became safe in later minor versions. */
const laterSysctls = [
  { sinceMinor: 27, names: ['ip_local_reserved_ports'] },
  { sinceMinor: 29, names: ['tcp_keepalive_time', 'tcp_fin_timeout', 'tcp_keepalive_intvl', 'tcp_keepalive_probes'] },
  { sinceMinor: 32, names: ['tcp_rmem', 'tcp_wmem'] },
];

/** The checks of the level `baseline`, in alphabetical order: messages list violations in this order. */
export const baselineChecks: readonly SecurityCheck[] = [
  always('appArmorProfile', appArmor),
  always('capabilities_baseline', (pod) => {
    const added = containersOf(pod).map(({ name, securityContext }) => ({
      name,
      bad: (securityContext?.capabilities?.add ?? []).filter((capability) => !defaultCapabilities.has(capability)),
    }));
    const bad = added.filter((one) => one.bad.length > 0);
    if (bad.length === 0) return undefined;
    const values = quoted(sortedUnique(bad.flatMap((one) => one.bad)));
    const who = named(
      'container',
      bad.map(({ name }) => name),
    );
    return {
      reason: 'non-default capabilities',
      detail: `${who} must not include ${values} in securityContext.capabilities.add`,
    };
  }),
  always('hostNamespaces', ({ spec }) => {
    const used = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field]);
    if (used.length === 0) return undefined;
    return { reason: 'host namespaces', detail: used.map((field) => `${field}=true`).join(', ') };
  }),
  always('hostPathVolumes', ({ spec }) => {
    const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => String(name));
    return names.length === 0 ? undefined : { reason: 'hostPath volumes', detail: named('volume', names) };
  }),
  always('hostPorts', (pod) => {
    const bad = containersOf(pod).filter(({ ports }) => (ports ?? []).some(({ hostPort }) => hostPort));
    if (bad.length === 0) return undefined;
    const used = sortedUnique(
      bad.flatMap(({ ports = [] }) => ports.flatMap(({ hostPort }) => (hostPort ? [`${hostPort}`] : []))),
    );
    const who = named(
      'container',
      bad.map(({ name }) => name),
    );
    return { reason: 'hostPort', detail: `${who} ${uses(bad)} ${plural('hostPort', used)} ${used.join(', ')}` };
  }),
  { id: 'hostProbesAndHostLifecycle', versions: [{ sinceMinor: 34, check: handlerHosts }] },
  always('privileged', (pod) => {
    const bad = containersOf(pod).filter(({ securityContext }) => securityContext?.privileged);
    if (bad.length === 0) return undefined;
    const who = named(
      'container',
      bad.map(({ name }) => name),
    );
    return { reason: 'privileged', detail: `${who} must not set securityContext.privileged=true` };
  }),
  {
    id: 'procMount',
    versions: [
      { sinceMinor: 0, check: procMount },
      { sinceMinor: 35, check: exceptUserNamespaces(procMount) },
    ],
  },
  {
    id: 'seLinuxOptions',
    versions: [
      { sinceMinor: 0, check: seLinux(seLinuxTypes) },
      { sinceMinor: 31, check: seLinux([...seLinuxTypes, 'container_engine_t']) },
    ],
  },
  {
    id: 'seccompProfile_baseline',
    versions: [
      { sinceMinor: 0, check: seccompAnnotations },
      { sinceMinor: 19, check: seccompFields },
    ],
  },
  {
    id: 'sysctls',
    versions: [0, 27, 29, 32].map((sinceMinor) => ({ sinceMinor, check: sysctls(sinceMinor) })),
  },
  always('windowsHostProcess', (pod) => {
    const { setters } = settersOf(pod, ({ windowsOptions }) => (windowsOptions?.hostProcess ? ['true'] : []));
    if (setters.length === 0) return undefined;
    const detail = `${setters.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true`;
    return { reason: 'hostProcess', detail };
  }),
];

function always(id: string, check: PodCheck): SecurityCheck {
  return { id, versions: [{ sinceMinor: 0, check }] };
}

function uses(items: readonly unknown[]): string {
  return items.length === 1 ? 'uses' : 'use';
}

function appArmor(pod: CheckedPod): ReturnType<PodCheck> {
  const found = settersOf(pod, ({ appArmorProfile: profile }) =>
    profile && profile.type !== 'RuntimeDefault' && profile.type !== 'Localhost' ? [profile.type] : [],
  );
  const annotations = Object.entries(pod.metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(appArmorAnnotation) && !/^$|^runtime\/default$|^localhost\//.test(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  const setters = [...found.setters, ...(annotations.length > 0 ? [plural('annotation', annotations)] : [])];
  if (setters.length === 0) return undefined;
  const values = [...found.values, ...annotations];
  return {
    reason: plural('forbidden AppArmor profile', values),
    detail: `${setters.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  };
}

function hostsOf(handler: HandlerHosts | undefined): readonly string[] {
  return [handler?.httpGet?.host, handler?.tcpSocket?.host].filter(
    (host) => host !== undefined && host !== '',
  ) as string[];
}

function handlerHosts(pod: CheckedPod): ReturnType<PodCheck> {
  const found = containersOf(pod).map(({ name, livenessProbe, readinessProbe, startupProbe, lifecycle }) => ({
    name,
    hosts: [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap(hostsOf),
  }));
  const bad = found.filter(({ hosts }) => hosts.length > 0);
  if (bad.length === 0) return undefined;
  const names = sortedUnique(bad.map(({ name }) => name));
  const hosts = sortedUnique(bad.flatMap((one) => one.hosts));
  const detail = `${named('container', names)} ${uses(names)} ${named('probe or lifecycle host', hosts)}`;
  return { reason: 'probe or lifecycle host', detail };
}

/** Rejects containers with an unmasked `/proc`. The level `restricted` has the same check. */
export function procMount(pod: CheckedPod): ReturnType<PodCheck> {
  const bad = containersOf(pod).flatMap(({ name, securityContext }) => {
    const type = securityContext?.procMount;
    return type === undefined || type === 'Default' ? [] : [{ name, type }];
  });
  if (bad.length === 0) return undefined;
  const who = named(
    'container',
    bad.map(({ name }) => name),
  );
  const types = quoted(sortedUnique(bad.map(({ type }) => type)));
  return { reason: 'procMount', detail: `${who} must not set securityContext.procMount to ${types}` };
}

function seLinux(allowed: readonly string[]): PodCheck {
  return (pod) => {
    const used = new Set<'role' | 'user'>();
    const { setters, values } = settersOf(pod, ({ seLinuxOptions: options }) => {
      if (!options) return [];
      const set = (['user', 'role'] as const).filter((field) => options[field]);
      for (const field of set) used.add(field);
      const type = options.type ?? '';
      // The mark distinguishes field names from SELinux types.
      return [...(allowed.includes(type) ? [] : [type]), ...set.map((field) => `${fieldMark}${field}`)];
    });
    if (setters.length === 0) return undefined;
    const types = values.filter((value) => !value.startsWith(fieldMark));
    const data = [
      ...(types.length > 0 ? [named('type', types)] : []),
      ...(['user', 'role'] as const).filter((field) => used.has(field)).map((field) => `${field} may not be set`),
    ];
    const detail = `${setters.join(' and ')} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}`;
    return { reason: 'seLinuxOptions', detail };
  };
}

/** Prefix that marks a field name among SELinux types. */
const fieldMark = '\0';

function seccompAnnotations(pod: CheckedPod): ReturnType<PodCheck> {
  const annotations = pod.metadata?.annotations ?? {};
  const prefix = 'seccomp.security.alpha.kubernetes.io/pod';
  const keys = [
    prefix,
    ...containersOf(pod).map(({ name }) => `container.seccomp.security.alpha.kubernetes.io/${name}`),
  ];
  const bad = keys.flatMap((key) => {
    const value = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
    const fine = value === undefined || /^(runtime|docker)\/default$|^localhost\//.test(value);
    return fine ? [] : [`${key}=${JSON.stringify(value)}`];
  });
  if (bad.length === 0) return undefined;
  const values = sortedUnique(bad);
  return { reason: 'seccompProfile', detail: `forbidden ${plural('annotation', values)} ${values.join(', ')}` };
}

/**
 * Rejects seccomp profiles other than the runtime's default and local profiles. A restricted check calls this function
 * too.
 */
export function seccompFields(pod: CheckedPod): ReturnType<PodCheck> {
  const { setters, values } = settersOf(pod, ({ seccompProfile: profile }) =>
    profile && profile.type !== 'RuntimeDefault' && profile.type !== 'Localhost' ? [profile.type] : [],
  );
  if (setters.length === 0) return undefined;
  const detail = `${setters.join(' and ')} must not set securityContext.seccompProfile.type to ${quoted(values)}`;
  return { reason: 'seccompProfile', detail };
}

function sysctls(minor: number): PodCheck {
  const later = laterSysctls.filter(({ sinceMinor }) => sinceMinor <= minor);
  const safe = new Set([...safeSysctls, ...later.flatMap(({ names }) => names.map((name) => `net.ipv4.${name}`))]);
  return ({ spec }) => {
    const bad = (spec.securityContext?.sysctls ?? []).filter(({ name }) => !safe.has(name)).map(({ name }) => name);
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
  };
}
