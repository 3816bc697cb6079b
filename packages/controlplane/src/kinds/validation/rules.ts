import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkQualifiedName,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import type { LabelSelector } from '../generated/drafts.ts';
import { between, type Check, enumOf, fields, isEmpty, optional, rule, textRule } from './check.ts';
import { checkPortName } from './names.ts';
import { sortedKeys } from './sorted-keys.ts';

/** Validates an RFC 1123 label. */
export const dnsLabel: Check<string> = textRule(checkDns1123Label);
/** Validates an RFC 1123 subdomain, which most object names are. */
export const dnsSubdomain: Check<string> = textRule(checkDns1123Subdomain);
/** Validates a qualified name, such as a label key. */
export const qualifiedName: Check<string> = textRule(checkQualifiedName);
/** Validates the value of a label, which can be empty. */
export const labelValue: Check<string> = textRule(checkLabelValue);
/** Validates a port number. */
export const portNumber: Check<number> = between(1, 65_535);
/** Validates a protocol: `TCP`, `UDP` or `SCTP`. */
export const protocol: Check<string> = enumOf('SCTP', 'TCP', 'UDP');

/** Validates a port, given by number or name. */
export const portNumberOrName: Check<number | string> = (value, path) =>
  typeof value === 'string' ? textRule(checkPortName)(value, path) : portNumber(value, path);

/** Validates labels. Reports errors at the map, as upstream does. */
export const labels: Check<Record<string, string>> = (map, path) =>
  Object.entries(map ?? {}).flatMap(([key, value]) => [
    ...checkQualifiedName(key).map((detail) => invalidField(path, key, detail)),
    ...checkLabelValue(value).map((detail) => invalidField(path, value, detail)),
  ]);

/** Validates a label selector. */
export const labelSelector: Check<LabelSelector> = fields<LabelSelector>({
  matchLabels: labels,
  matchExpressions: (list, path) => (list ?? []).flatMap((item, index) => requirement(item, path.index(index))),
});

const requirement: Check<{ key: string; operator: string; values?: string[] | undefined }> = (item, path) => {
  if (!item) return [];
  const count = (item.values ?? []).length;
  const faults: FieldError[] = [];
  if (item.operator === 'In' || item.operator === 'NotIn') {
    if (count === 0)
      faults.push(requiredField(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (item.operator === 'Exists' || item.operator === 'DoesNotExist') {
    if (count > 0) {
      faults.push(
        forbiddenField(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      );
    }
  } else faults.push(invalidField(path.child('operator'), item.operator, 'not a valid selector operator'));
  const values = path.child('values');
  return [
    ...faults,
    ...qualifiedName(item.key, path.child('key')),
    ...(item.values ?? []).flatMap((value, index) => textRule(checkLabelValue)(value, values.index(index))),
  ];
};

/** Returns a selector as Go encodes it in messages: fields in their order, without empty lists and maps. */
export function shownSelector({ matchLabels, matchExpressions }: LabelSelector): LabelSelector {
  const expressions = (matchExpressions ?? []).map(({ key, operator, values }) => {
    return { key, operator, ...(values?.length ? { values } : {}) };
  });
  return {
    ...(isEmpty(matchLabels) ? {} : { matchLabels: sortedKeys(matchLabels ?? {}) }),
    ...(expressions.length > 0 ? { matchExpressions: expressions } : {}),
  };
}

/** True if a selector's keys, operators and values are valid. */
export function isValidSelector(selector: LabelSelector): boolean {
  return labelSelector(selector, FieldPath.of('selector')).length === 0;
}

/** True if a selector matches these labels; undefined if the selector is invalid. */
export function selects(selector: LabelSelector, given: Readonly<Record<string, string>>): boolean | undefined {
  if (!isValidSelector(selector)) return undefined;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) if (given[key] !== value) return false;
  let matches = true;
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const value = Object.hasOwn(given, key) ? given[key] : undefined;
    const listed = value !== undefined && (values ?? []).includes(value);
    if (operator === 'In') matches &&= listed;
    else if (operator === 'NotIn') matches &&= !listed;
    else if (operator === 'Exists') matches &&= value !== undefined;
    else matches &&= value === undefined;
  }
  return matches;
}

/** Validates a non-negative number, or a percentage up to 100. */
export const countOrPercent: Check<number | string> = (value, path) => {
  if (value === undefined) return [];
  if (typeof value === 'number') return rule<number>((n) => n >= 0, 'must be greater than or equal to 0')(value, path);
  if (!/^[0-9]+%$/.test(value)) {
    const detail =
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
    return [invalidField(path, value, detail)];
  }
  return Number(value.slice(0, -1)) > 100 ? [invalidField(path, value, 'must not be greater than 100%')] : [];
};

/** Validates a path, absolute or relative, that must not contain `..`. */
export const noParentSteps: Check<string> = rule((path) => !path.split('/').includes('..'), "must not contain '..'");

/** Validates a relative path that must not leave its folder. */
export const relativePath: Check<string> = (value, path) =>
  value?.startsWith('/')
    ? [invalidField(path, value, 'must be a relative path')]
    : optional(noParentSteps)(value, path);

/** Validates a path below a domain, such as `acme.io/foo`. */
export const domainPrefixedPath: Check<string> = (value = '', path) => {
  const [domain = '', ...rest] = value.split('/');
  const name = rest.join('/');
  if (value === '') return [requiredField(path)];
  if (domain === '' || name === '') {
    return [invalidField(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const faults = checkDns1123Subdomain(domain).map((detail) => invalidField(path, domain, detail));
  if (/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(name)) return faults;
  return [
    ...faults,
    invalidField(path, name, "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"),
  ];
};
