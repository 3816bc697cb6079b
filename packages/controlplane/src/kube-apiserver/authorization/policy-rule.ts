import type { AuthorizationAttributes } from '@kubewright/apiserver';

/** A rule of a Role or ClusterRole (rbac/v1 `PolicyRule`). */
export interface PolicyRule {
  readonly verbs?: readonly string[] | null;
  readonly apiGroups?: readonly string[] | null;
  readonly resources?: readonly string[] | null;
  readonly resourceNames?: readonly string[] | null;
  readonly nonResourceURLs?: readonly string[] | null;
}

/** True if a rule allows the request (`rbac.RuleAllows`). */
export function ruleAllows(rule: PolicyRule, attributes: AuthorizationAttributes): boolean {
  if (!has(rule.verbs, attributes.verb)) return false;
  const { resource, path } = attributes;
  if (resource === undefined) return (rule.nonResourceURLs ?? []).some((pattern) => pathMatches(pattern, path ?? ''));
  if (!has(rule.apiGroups, resource.group) || !resourceMatches(rule, resource.resource, resource.subresource))
    return false;
  const names = rule.resourceNames ?? [];
  return names.length === 0 || names.includes(resource.name);
}

function has(list: readonly string[] | null | undefined, value: string): boolean {
  return list?.some((entry) => entry === '*' || entry === value) ?? false;
}

function resourceMatches(rule: PolicyRule, resource: string, subresource: string): boolean {
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  return (rule.resources ?? []).some(
    (entry) => entry === '*' || entry === full || (subresource !== '' && entry === `*/${subresource}`),
  );
}

function pathMatches(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  return pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, ''));
}

/**
 * Returns the permissions in `wanted` that `held` does not cover, as rules with a single verb, group and resource each.
 * Mirrors upstream's escalation check (`validation.Covers`).
 */
export function uncoveredRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return wanted.flatMap(breakdown).filter((single) => !held.some((rule) => covers(rule, single)));
}

function breakdown(rule: PolicyRule): readonly PolicyRule[] {
  const singles: PolicyRule[] = [];
  for (const verb of rule.verbs ?? []) {
    for (const apiGroup of rule.apiGroups ?? []) {
      for (const resource of rule.resources ?? []) {
        const base = { verbs: [verb], apiGroups: [apiGroup], resources: [resource] };
        const names = rule.resourceNames ?? [];
        if (names.length === 0) singles.push(base);
        for (const name of names) singles.push({ ...base, resourceNames: [name] });
      }
    }
    for (const url of rule.nonResourceURLs ?? []) singles.push({ verbs: [verb], nonResourceURLs: [url] });
  }
  return singles;
}

function covers(rule: PolicyRule, single: PolicyRule): boolean {
  const [verb = ''] = single.verbs ?? [];
  if (!has(rule.verbs, verb)) return false;
  const [url] = single.nonResourceURLs ?? [];
  if (url !== undefined) return (rule.nonResourceURLs ?? []).some((pattern) => pathMatches(pattern, url));
  const [group = ''] = single.apiGroups ?? [];
  const [resource = ''] = single.resources ?? [];
  if (!has(rule.apiGroups, group) || !coversResource(rule, resource)) return false;
  const names = rule.resourceNames ?? [];
  const [name] = single.resourceNames ?? [];
  return names.length === 0 || (name !== undefined && names.includes(name));
}

function coversResource(rule: PolicyRule, resource: string): boolean {
  const slash = resource.indexOf('/');
  const resources = rule.resources ?? [];
  if (resources.includes('*') || resources.includes(resource)) return true;
  return slash > 0 && resources.includes(`*${resource.slice(slash)}`);
}

/** Formats a rule as in upstream's messages: `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}`. */
export function formatRule(rule: PolicyRule): string {
  const parts: [string, readonly string[] | null | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['ResourceNames', rule.resourceNames],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['Verbs', rule.verbs],
  ];
  const shown = parts
    .filter(([, list]) => (list?.length ?? 0) > 0)
    // Go formats lists without commas.
    .map(([name, list]) => `${name}:[${(list ?? []).map((item) => JSON.stringify(item)).join(' ')}]`);
  return `{${shown.join(', ')}}`;
}
