import type { WebhookRule } from './webhook.ts';

/** The parts of a request that rules match. */
export interface RuleSubject {
  readonly operation: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** Namespace of the request; for a Namespace object, the object's own name. */
  readonly namespace: string;
}

/** Reports whether a rule matches a request (`rules.Matcher`, 1.36). */
export function ruleMatches(rule: WebhookRule, subject: RuleSubject): boolean {
  const { operation, group, version } = subject;
  return (
    scopeMatches(rule, subject) &&
    includes(rule.operations, operation) &&
    includes(rule.apiGroups, group) &&
    includes(rule.apiVersions, version) &&
    rule.resources.some((pattern) => resourceMatches(pattern, subject))
  );
}

function includes(items: readonly string[], wanted: string): boolean {
  return items.includes('*') || items.includes(wanted);
}

function scopeMatches({ scope = '*' }: WebhookRule, { group, version, resource, namespace }: RuleSubject): boolean {
  if (scope === '*') return true;
  const isCluster = namespace === '' || (group === '' && version === 'v1' && resource === 'namespaces');
  return isCluster === (scope === 'Cluster');
}

function resourceMatches(pattern: string, { resource, subresource }: RuleSubject): boolean {
  const slash = pattern.indexOf('/');
  const main = slash < 0 ? pattern : pattern.slice(0, slash);
  const sub = slash < 0 ? '' : pattern.slice(slash + 1);
  return (main === '*' || main === resource) && (sub === '*' || sub === subresource);
}
