import { checkLabelValue, FieldPath } from '@kubewright/apimachinery';
import type { Affinity, Container, NodeSelectorTerm, Pod, PodAffinity, PodSpec } from '../generated/drafts.ts';
import { ipWarnings } from '../validation/ip-warnings.ts';
import { billionthsOf } from '../wire/quantity.ts';
import { containersOf } from './containers-of.ts';
import { portWarnings } from './port-warnings.ts';
import { volumeWarnings } from './volume-warnings.ts';

const deprecatedNodeLabels: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
]);

const byteResources = ['memory', 'ephemeral-storage'];

/** Returns the warnings for a new pod. */
export function podWarnings(pod: Pod, first: readonly string[] = []): readonly string[] {
  return [...first, ...podSpecWarnings(pod.spec, FieldPath.of('spec'))];
}

/** Returns warnings for a pod spec that is valid but probably a mistake. */
export function podSpecWarnings(spec: PodSpec, path: FieldPath): readonly string[] {
  return [
    ...nodeSelectorWarnings(spec, path),
    ...spreadWarnings(spec, path),
    ...volumeWarnings(spec.volumes ?? [], path.child('volumes')),
    ...repeated(spec.hostAliases ?? [], { of: ({ ip }) => ip, path: path.child('hostAliases'), field: 'ip' }),
    ...repeated(spec.imagePullSecrets ?? [], {
      of: ({ name }) => name ?? '',
      path: path.child('imagePullSecrets'),
      field: 'name',
    }),
    ...emptySecretNames(spec, path),
    ...byteResources.flatMap((name) => fractionalBytes(spec.overhead?.[name], path.child('overhead').key(name))),
    ...containersOf(spec, path).flatMap(({ container, path: at }) => containerWarnings(container, at)),
    ...portWarnings(spec, path),
    ...gracePeriodWarnings(spec, path),
    ...affinityWarnings(spec.affinity, path.child('affinity')),
    ...addressWarnings(spec, path),
  ];
}

function nodeSelectorWarnings(spec: PodSpec, path: FieldPath): readonly string[] {
  const selector = Object.keys(spec.nodeSelector ?? {}).flatMap((key) => {
    const text = deprecatedNodeLabels.get(key);
    return text === undefined ? [] : [`${path.child('nodeSelector').key(key)}: ${text}`];
  });
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  const { nodeAffinity } = spec.affinity ?? {};
  const at = path.child('affinity', 'nodeAffinity');
  return [
    ...selector,
    ...(nodeAffinity?.[required]?.nodeSelectorTerms ?? []).flatMap((term, index) =>
      termWarnings(term, { path: at.child(required, 'nodeSelectorTerms').index(index), checksValues: false }),
    ),
    ...(nodeAffinity?.[preferred] ?? []).flatMap(({ preference }, index) =>
      termWarnings(preference, { path: at.child(preferred).index(index).child('preference'), checksValues: true }),
    ),
  ];
}

/** Warns about deprecated labels. With `checksValues`, also warns about invalid label values, which match no node. */
function termWarnings(
  term: NodeSelectorTerm,
  { path, checksValues }: { readonly path: FieldPath; readonly checksValues: boolean },
): readonly string[] {
  return (term?.matchExpressions ?? []).flatMap(({ key, values }, index) => {
    const at = path.child('matchExpressions').index(index);
    const text = deprecatedNodeLabels.get(key);
    const wrong = (values ?? []).flatMap((value, i) =>
      checkLabelValue(value).map((detail) => `${at.child('values').index(i)}: ${value} is invalid, ${detail}`),
    );
    return [...(text === undefined ? [] : [`${at.child('key')}: ${key} is ${text}`]), ...(checksValues ? wrong : [])];
  });
}

const matchesNothing = (path: FieldPath): string => `${path}: a null labelSelector results in matching no pod`;

function spreadWarnings(spec: PodSpec, path: FieldPath): readonly string[] {
  return (spec.topologySpreadConstraints ?? []).flatMap(({ topologyKey, labelSelector }, index) => {
    const at = path.child('topologySpreadConstraints').index(index);
    const text = deprecatedNodeLabels.get(topologyKey);
    return [
      ...(text === undefined ? [] : [`${at.child('topologyKey')}: ${topologyKey} is ${text}`]),
      ...(labelSelector ? [] : [matchesNothing(at.child('labelSelector'))]),
    ];
  });
}

function affinityWarnings(affinity: Affinity | undefined, path: FieldPath): readonly string[] {
  const of = (value: PodAffinity | undefined, at: FieldPath): readonly string[] => {
    const required = at.child('requiredDuringSchedulingIgnoredDuringExecution');
    const preferred = at.child('preferredDuringSchedulingIgnoredDuringExecution');
    return [
      ...(value?.requiredDuringSchedulingIgnoredDuringExecution ?? []).flatMap((term, index) =>
        term.labelSelector ? [] : [matchesNothing(required.index(index).child('labelSelector'))],
      ),
      ...(value?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ podAffinityTerm }, index) =>
        podAffinityTerm?.labelSelector
          ? []
          : [matchesNothing(preferred.index(index).child('podAffinityTerm', 'labelSelector'))],
      ),
    ];
  };
  return [
    ...of(affinity?.podAffinity, path.child('podAffinity')),
    ...of(affinity?.podAntiAffinity, path.child('podAntiAffinity')),
  ];
}

function repeated<T>(
  list: readonly T[],
  options: { readonly of: (item: T) => string; readonly path: FieldPath; readonly field: string },
): readonly string[] {
  const seen = new Set<string>();
  return list.flatMap((item, index) => {
    const value = options.of(item);
    if (seen.has(value)) {
      return [`${options.path.index(index).child(options.field)}: duplicate ${options.field} ${JSON.stringify(value)}`];
    }
    seen.add(value);
    return [];
  });
}

function emptySecretNames(spec: PodSpec, path: FieldPath): readonly string[] {
  return (spec.imagePullSecrets ?? []).flatMap(({ name }, index) =>
    name ? [] : [`${path.child('imagePullSecrets').index(index).child('name')}: invalid empty name ""`],
  );
}

function containerWarnings({ resources, env }: Container, path: FieldPath): readonly string[] {
  return [
    ...byteResources.flatMap((name) =>
      (['limits', 'requests'] as const).flatMap((list) =>
        fractionalBytes(resources?.[list]?.[name], path.child('resources', list).key(name)),
      ),
    ),
    ...hiddenVariables(env ?? [], path.child('env')),
  ];
}

/** Warns about an amount with a fraction of a byte, such as `1500m`. */
function fractionalBytes(amount: string | undefined, path: FieldPath): readonly string[] {
  if (amount === undefined || billionthsOf(amount) % 1_000_000_000n === 0n) return [];
  return [`${path}: fractional byte value "${amount}" is invalid, must be an integer`];
}

/** Returns warnings for variables that override an earlier variable of the same name. */
function hiddenVariables(env: NonNullable<Container['env']>, path: FieldPath): readonly string[] {
  const seen = new Set<string>();
  return env.flatMap(({ name, value, valueFrom }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const reference = `$(${name})`;
    if (!valueFrom && value !== reference && value?.includes(reference)) return [];
    return [`${path.index(index)}: hides previous definition of "${name}", which may be dropped when using apply`];
  });
}

function gracePeriodWarnings(spec: PodSpec, path: FieldPath): readonly string[] {
  if ((spec.terminationGracePeriodSeconds ?? 0) >= 0) return [];
  const at = path.child('terminationGracePeriodSeconds');
  return [`${at}: must be >= 0; negative values are invalid and will be treated as 1`];
}

function addressWarnings(spec: PodSpec, path: FieldPath): readonly string[] {
  return [
    ...(spec.dnsConfig?.nameservers ?? []).flatMap((address, index) =>
      ipWarnings(address, path.child('dnsConfig', 'nameservers').index(index)),
    ),
    ...(spec.hostAliases ?? []).flatMap(({ ip }, index) =>
      ipWarnings(ip, path.child('hostAliases').index(index).child('ip')),
    ),
  ];
}
