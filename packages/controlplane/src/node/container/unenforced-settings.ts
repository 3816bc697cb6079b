import type { Container, Pod } from '@kubewright/apimachinery/core/v1';

/**
 * Returns the settings of a pod that containers of this driver ignore, each with the containers that have it: `cpu limits (main, sidecar)`.
 * Limits need cgroups, and profiles need a program that loads them.
 */
export function unenforcedSettings({ spec = { containers: [] } }: Pod): readonly string[] {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  const found = new Map<string, string[]>();
  const add = (setting: string, place: string): void => {
    found.set(setting, [...(found.get(setting) ?? []), place]);
  };
  for (const name of limitsOf(spec)) add(name, 'the pod');
  for (const { name } of spec.securityContext?.sysctls ?? []) add(`sysctl ${name}`, 'the pod');
  for (const container of containers) {
    for (const setting of [...limitsOf(container), ...profilesOf(container, spec), ...propagationOf(container)]) {
      add(setting, container.name);
    }
  }
  return [...found].map(([setting, places]) => `${setting} (${places.join(', ')})`);
}

function limitsOf({ resources }: Pick<Container, 'resources'>): readonly string[] {
  // The scheduler alone enforces extended resources.
  const isLimit = (name: string): boolean => /^(cpu|memory|ephemeral-storage|hugepages-.*)$/.test(name);
  return Object.keys(resources?.limits ?? {})
    .filter(isLimit)
    .map((name) => `${name} limits`);
}

function profilesOf(
  { securityContext: own }: Container,
  { securityContext: ofPod }: NonNullable<Pod['spec']>,
): readonly string[] {
  const profiles = {
    seccomp: (own?.seccompProfile ?? ofPod?.seccompProfile)?.type,
    AppArmor: (own?.appArmorProfile ?? ofPod?.appArmorProfile)?.type,
  };
  const loaded = Object.entries(profiles).filter(([, type]) => type !== undefined && type !== 'Unconfined');
  const labels = own?.seLinuxOptions ?? ofPod?.seLinuxOptions;
  return [...loaded.map(([kind, type]) => `${kind} profile ${type}`), ...(labels ? ['SELinux options'] : [])];
}

function propagationOf({ volumeMounts = [] }: Container): readonly string[] {
  const modes = new Set(volumeMounts.map(({ mountPropagation = 'None' }) => mountPropagation));
  modes.delete('None');
  return [...modes].map((mode) => `mount propagation ${mode}`);
}
