import type { Container, Pod, PodSpec } from '../generated/drafts.ts';

const deprecatedNodeLabels: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
]);

/** Returns the warnings for a new pod. */
export function podWarnings(pod: Pod, first: readonly string[] = []): readonly string[] {
  return [...first, ...podSpecWarnings(pod.spec, 'spec')];
}

/** Returns the warnings for a pod spec at a path: valid, but probably unintended. */
export function podSpecWarnings(spec: PodSpec, path: string): readonly string[] {
  return [...nodeSelectorWarnings(spec, path), ...volumeWarnings(spec, path), ...containerWarnings(spec, path)];
}

function nodeSelectorWarnings(spec: PodSpec, path: string): readonly string[] {
  return Object.keys(spec.nodeSelector ?? {}).flatMap((key) => {
    const text = deprecatedNodeLabels.get(key);
    return text === undefined ? [] : [`${path}.nodeSelector[${key}]: ${text}`];
  });
}

function volumeWarnings(spec: PodSpec, path: string): readonly string[] {
  return (spec.volumes ?? []).flatMap((volume, index) => {
    const at = `${path}.volumes[${index}]`;
    if (volume.gitRepo) return [`${at}.gitRepo: deprecated in v1.11, and disabled by default in v1.33+`];
    if (volume.emptyDir?.sizeLimit && /m$/.test(volume.emptyDir.sizeLimit)) {
      return [
        `${at}.emptyDir.sizeLimit: fractional byte value "${volume.emptyDir.sizeLimit}" is invalid, must be an integer`,
      ];
    }
    return [];
  });
}

function containerWarnings(spec: PodSpec, path: string): readonly string[] {
  const lists = [
    ['initContainers', spec.initContainers ?? []],
    ['containers', spec.containers ?? []],
  ] as const;
  return lists.flatMap(([field, list]) =>
    list.flatMap((container, index) => oneContainer(container, `${path}.${field}[${index}]`)),
  );
}

function oneContainer(container: Container, path: string): readonly string[] {
  return [...fractionalBytes(container, path), ...hiddenVariables(container, path), ...portWarnings(container, path)];
}

function fractionalBytes({ resources }: Container, path: string): readonly string[] {
  return (['limits', 'requests'] as const).flatMap((list) =>
    ['memory', 'ephemeral-storage'].flatMap((name) => {
      const amount = resources[list]?.[name];
      if (!amount?.endsWith('m')) return [];
      return [`${path}.resources.${list}[${name}]: fractional byte value "${amount}" is invalid, must be an integer`];
    }),
  );
}

/** Returns warnings for variables that hide an earlier one of the same name. */
function hiddenVariables({ env }: Container, path: string): readonly string[] {
  const seen = new Map<string, number>();
  return (env ?? []).flatMap(({ name, value }, index) => {
    const before = seen.get(name);
    seen.set(name, index);
    if (before === undefined || value?.includes(`$(${name})`)) return [];
    return [`${path}.env[${index}]: hides previous definition of "${name}", which may be dropped when using apply`];
  });
}

function portWarnings({ ports }: Container, path: string): readonly string[] {
  const seen = new Map<string, number>();
  return (ports ?? []).flatMap(({ containerPort, protocol }, index) => {
    const key = `${containerPort}/${protocol}`;
    const before = seen.get(key);
    seen.set(key, index);
    if (before === undefined) return [];
    return [`${path}.ports[${index}]: duplicate port definition with ${path}.ports[${before}]`];
  });
}
