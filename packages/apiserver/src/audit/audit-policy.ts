import { KubewrightError } from '@kubewright/apimachinery';
import type { UserInfo } from '../authentication/authenticator.ts';
import type { RequestInfo } from '../request-info/index.ts';

/** The level of an audit event: how much of the request it contains. */
export type AuditLevel = (typeof levels)[number];
/** The stage of a request at which an audit event is written. */
export type AuditStage = (typeof stages)[number];

const levels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;

/** A rule of an audit policy. It matches if all its conditions hold; a missing condition always holds. */
interface AuditRule {
  readonly level: AuditLevel;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly {
    readonly group?: string;
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

/** An audit policy: `Policy` of audit.k8s.io/v1. The first rule that matches a request decides. */
export interface AuditPolicy {
  readonly rules: readonly AuditRule[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

/** The decision of a policy about a request. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}

/** Thrown for an invalid audit policy. */
class AuditPolicyError extends KubewrightError {
  override readonly name = 'AuditPolicyError';
  readonly code = 'KW5040';
}

/**
 * Checks a parsed audit policy against the rules of k8s.io/apiserver (1.36).
 *
 * @throws AuditPolicyError that lists every fault
 */
export function parseAuditPolicy(value: unknown): AuditPolicy {
  const faults = faultsOf(value);
  if (faults.length > 0) {
    throw new AuditPolicyError({
      what: 'invalid audit policy',
      why: faults.join('; '),
      remedy: 'fix these fields of the Policy (audit.k8s.io/v1)',
    });
  }
  // Checked above.
  return value as AuditPolicy;
}

function faultsOf(value: unknown): readonly string[] {
  const { apiVersion, kind, rules, omitStages = [] } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (apiVersion !== 'audit.k8s.io/v1' || kind !== 'Policy')
    return ['the apiVersion must be audit.k8s.io/v1, and the kind must be Policy'];
  if (!Array.isArray(rules) || rules.length === 0) return ['rules: must have at least one rule'];
  return [
    ...stageFaults('omitStages', omitStages),
    ...rules.flatMap((rule: unknown, index) => ruleFaults(rule, `rules[${index}]`)),
  ];
}

const listFields = ['users', 'userGroups', 'verbs', 'namespaces', 'nonResourceURLs'] as const;

function ruleFaults(value: unknown, at: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [`${at}: must be an object`];
  const rule = value as Readonly<Record<string, unknown>>;
  const faults: string[] = [];
  if (!levels.includes(rule['level'] as AuditLevel)) faults.push(`${at}.level: must be one of ${levels.join(', ')}`);
  for (const field of listFields) {
    if (!isTexts(rule[field] ?? [])) faults.push(`${at}.${field}: must be a list of strings`);
  }
  const { resources = [], nonResourceURLs = [], namespaces = [] } = rule as Partial<AuditRule>;
  if (!Array.isArray(resources)) faults.push(`${at}.resources: must be a list`);
  else faults.push(...resources.flatMap((each: unknown, index) => resourceFaults(each, `${at}.resources[${index}]`)));
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    faults.push(`${at}.nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs`);
  }
  for (const url of isTexts(nonResourceURLs) ? nonResourceURLs : []) {
    const isPath = url === '*' || (url.startsWith('/') && !url.slice(0, -1).includes('*'));
    if (!isPath)
      faults.push(
        `${at}.nonResourceURLs: ${JSON.stringify(url)} must be "*", or begin with "/" and contain "*" only at its end`,
      );
  }
  return [...faults, ...stageFaults(`${at}.omitStages`, rule['omitStages'] ?? [])];
}

function resourceFaults(value: unknown, at: string): readonly string[] {
  const { group = '', resources = [], resourceNames = [] } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof group !== 'string') return [`${at}.group: must be a string`];
  if (!isTexts(resources) || !isTexts(resourceNames))
    return [`${at}: resources and resourceNames must be lists of strings`];
  return resourceNames.length > 0 && resources.length === 0
    ? [`${at}.resourceNames: using resourceNames requires at least one resource`]
    : [];
}

function stageFaults(at: string, value: unknown): readonly string[] {
  const isValid = isTexts(value) && value.every((each) => stages.includes(each as AuditStage));
  return isValid ? [] : [`${at}: must be a list of the stages ${stages.join(', ')}`];
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** Returns a policy's decision about a request: the level None unless a rule matches. Mirrors k8s.io/apiserver (1.36). */
export function auditDecision(
  policy: AuditPolicy,
  request: { readonly info: RequestInfo; readonly user: UserInfo | undefined },
): AuditDecision {
  const { omitStages = [], omitManagedFields = false } = policy;
  const rule = policy.rules.find((each) => matches(each, request));
  return {
    level: rule?.level ?? 'None',
    omitStages: [...omitStages, ...(rule?.omitStages ?? [])],
    omitManagedFields: rule?.omitManagedFields ?? omitManagedFields,
  };
}

function matches(
  rule: AuditRule,
  { info, user }: { readonly info: RequestInfo; readonly user: UserInfo | undefined },
): boolean {
  const { users = [], userGroups = [], verbs = [], namespaces = [], resources = [], nonResourceURLs = [] } = rule;
  if (users.length > 0 && !users.includes(user?.username ?? '')) return false;
  if (userGroups.length > 0 && !userGroups.some((group) => user?.groups.includes(group))) return false;
  if (verbs.length > 0 && !verbs.includes(info.verb)) return false;
  if (namespaces.length > 0 || resources.length > 0) return matchesResource(rule, info);
  return (
    nonResourceURLs.length === 0 || (!info.isResource && nonResourceURLs.some((url) => matchesUrl(url, info.path)))
  );
}

function matchesUrl(url: string, path: string): boolean {
  return url.endsWith('*') ? path.startsWith(url.slice(0, -1)) : url === path;
}

function matchesResource({ namespaces = [], resources = [] }: AuditRule, info: RequestInfo): boolean {
  if (!info.isResource || (namespaces.length > 0 && !namespaces.includes(info.namespace))) return false;
  if (resources.length === 0) return true;
  const { group, resource, subresource, name } = info;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const names = ['*', full, `${resource}/*`, ...(subresource === '' ? [] : [`*/${subresource}`])];
  return resources.some(({ group: wanted = '', resources: among = [], resourceNames = [] }) => {
    if (wanted !== group) return false;
    if (among.length === 0) return true;
    return (resourceNames.length === 0 || resourceNames.includes(name)) && among.some((each) => names.includes(each));
  });
}
