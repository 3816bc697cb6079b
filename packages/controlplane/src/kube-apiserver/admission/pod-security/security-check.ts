/** The fields of a pod or pod template that checks read. */
export interface CheckedPod {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: CheckedPodSpec;
}

/** The fields of a pod's spec that checks read. */
export interface CheckedPodSpec {
  readonly containers?: readonly CheckedContainer[] | null;
  readonly initContainers?: readonly CheckedContainer[];
  readonly ephemeralContainers?: readonly CheckedContainer[];
  readonly volumes?: readonly Readonly<Record<string, unknown>>[];
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly hostUsers?: boolean;
  readonly os?: { readonly name: string };
  readonly runtimeClassName?: string;
  readonly securityContext?: SecuritySettings & { readonly sysctls?: readonly { readonly name: string }[] };
}

/** The fields of a container that checks read. */
export interface CheckedContainer {
  readonly name: string;
  readonly image?: string;
  readonly securityContext?: SecuritySettings & {
    readonly allowPrivilegeEscalation?: boolean;
    readonly privileged?: boolean;
    readonly procMount?: string;
    readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  };
  readonly ports?: readonly { readonly hostPort?: number }[];
  readonly livenessProbe?: HandlerHosts;
  readonly readinessProbe?: HandlerHosts;
  readonly startupProbe?: HandlerHosts;
  readonly lifecycle?: { readonly postStart?: HandlerHosts; readonly preStop?: HandlerHosts };
}

/** Security settings that both pods and containers have. */
export interface SecuritySettings {
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly appArmorProfile?: { readonly type: string };
  readonly seccompProfile?: { readonly type: string };
  readonly seLinuxOptions?: { readonly type?: string; readonly user?: string; readonly role?: string };
  readonly windowsOptions?: { readonly hostProcess?: boolean };
}

/** The host fields of a probe or lifecycle hook. */
export interface HandlerHosts {
  readonly httpGet?: { readonly host?: string };
  readonly tcpSocket?: { readonly host?: string };
}

/** The reason why a check rejects a pod. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** Checks a pod. Returns the violation, or undefined if the pod is allowed. */
export type PodCheck = (pod: CheckedPod) => Violation | undefined;

/** A check of one aspect of a pod, in all its versions. */
export interface SecurityCheck {
  readonly id: string;
  /** The versions of the check, in increasing order. Earlier minor versions do not have the check. */
  readonly versions: readonly { readonly sinceMinor: number; readonly check: PodCheck }[];
  /** The baseline checks that this restricted check replaces. */
  readonly replaces?: readonly string[];
}

/** Returns all containers in upstream's order. */
export function containersOf({ spec }: CheckedPod): readonly CheckedContainer[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

/** Formats a list of names: `"a", "b"`. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

/** Formats a noun and a list of names: `container "a"`, `containers "a", "b"`. */
export function named(what: string, names: readonly string[]): string {
  return `${plural(what, names)} ${quoted(names)}`;
}

/** Appends an `s` to a word unless the list has one item. */
export function plural(word: string, items: readonly unknown[]): string {
  return items.length === 1 ? word : `${word}s`;
}

/** Returns the distinct values in alphabetical order. */
export function sortedUnique(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}

/** Returns the forbidden values, and what sets them: the pod, its containers, or both. */
export function settersOf(
  pod: CheckedPod,
  forbidden: (settings: SecuritySettings) => readonly string[],
): { readonly setters: readonly string[]; readonly values: readonly string[] } {
  const ofPod = forbidden(pod.spec.securityContext ?? {});
  const bad = containersOf(pod)
    .map(({ name, securityContext }) => ({ name, values: forbidden(securityContext ?? {}) }))
    .filter(({ values }) => values.length > 0);
  const containers = bad.map(({ name }) => name);
  return {
    setters: [...(ofPod.length > 0 ? ['pod'] : []), ...(containers.length > 0 ? [named('container', containers)] : [])],
    values: sortedUnique([...ofPod, ...bad.flatMap(({ values }) => values)]),
  };
}

/** Skips a check for Windows pods, to which it does not apply. */
export function exceptWindows(check: PodCheck): PodCheck {
  return (pod) => (pod.spec.os?.name === 'windows' ? undefined : check(pod));
}

/** Skips a check for pods that have their own user namespace. */
export function exceptUserNamespaces(check: PodCheck): PodCheck {
  return (pod) => (pod.spec.hostUsers === false ? undefined : check(pod));
}
