import {
  checkLabelValue,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import type {
  Affinity,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
  Toleration,
  TopologySpreadConstraint,
} from '../generated/drafts.ts';
import { all, type Check, each, enumOf, fields, optional, present, required, rule } from '../validation/check.ts';
import { dnsLabel, dnsSubdomain, labelSelector, labelValue, qualifiedName } from '../validation/rules.ts';

const weight: Check<number> = rule((value) => value >= 1 && value <= 100, 'must be in the range 1-100');

/** Validates a toleration. */
export const toleration: Check<Toleration> = (value, path) => {
  if (!value) return [];
  const faults: FieldError[] = [...optional(qualifiedName)(value.key, path.child('key'))];
  const at = path.child('operator');
  if (!value.key && value.operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    faults.push(invalidField(at, value.operator ?? '', detail));
  }
  if (value.tolerationSeconds !== undefined && value.effect !== 'NoExecute') {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    faults.push(invalidField(path.child('effect'), value.effect ?? '', detail));
  }
  if (!value.operator || value.operator === 'Equal') {
    const wrong = checkLabelValue(value.value ?? '');
    if (wrong.length > 0) faults.push(invalidField(at, value.value, wrong.join(';')));
  }
  if (value.operator === 'Exists' && value.value) {
    faults.push(invalidField(at, value.value, "value must be empty when `operator` is 'Exists'"));
  }
  // The comparison operators are behind a feature gate, but upstream's error lists them.
  const operators = ['Lt', 'Gt'].includes(value.operator ?? '') ? ['Equal', 'Exists', 'Lt', 'Gt'] : ['Equal', 'Exists'];
  if (value.operator && value.operator !== 'Equal' && value.operator !== 'Exists') {
    faults.push(unsupportedField(at, value.operator, operators));
  }
  faults.push(...optional(enumOf('NoSchedule', 'PreferNoSchedule', 'NoExecute'))(value.effect, path.child('effect')));
  return faults;
};

/** Validates topology spread constraints. Each combination of key and `whenUnsatisfiable` must be unique. */
export const spreadConstraints: Check<TopologySpreadConstraint[]> = (list, path) => {
  const seen = new Set<string>();
  return (list ?? []).flatMap((constraint, index) => {
    const faults = [...spread(constraint, path.index(index))];
    const pair = `{${constraint.topologyKey}, ${constraint.whenUnsatisfiable}}`;
    if (seen.has(pair)) {
      const field = `${path.index(index - 1)}.{topologyKey, whenUnsatisfiable}`;
      faults.push({ type: 'FieldValueDuplicate', field, body: `Duplicate value: ${JSON.stringify(pair)}` });
    }
    seen.add(pair);
    return faults;
  });
};

const positive: Check<number> = rule((value) => value > 0, 'must be greater than zero');
const inclusion: Check<string> = enumOf('Honor', 'Ignore');

const spread: Check<TopologySpreadConstraint> = all(
  fields<TopologySpreadConstraint>({
    maxSkew: positive,
    topologyKey: required(undefined, 'can not be empty'),
    whenUnsatisfiable: enumOf('DoNotSchedule', 'ScheduleAnyway'),
    minDomains: present(positive),
  }),
  (value, path) => {
    if (value?.minDomains === undefined || value.whenUnsatisfiable === 'DoNotSchedule') return [];
    const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${value.whenUnsatisfiable ?? ''}`;
    return [invalidField(path.child('minDomains'), value.minDomains, detail)];
  },
  fields<TopologySpreadConstraint>({ nodeAffinityPolicy: present(inclusion), nodeTaintsPolicy: present(inclusion) }),
  (value, path) => labelKeyFaults({ matchLabelKeys: value?.matchLabelKeys, labelSelector: value?.labelSelector }, path),
  fields<TopologySpreadConstraint>({ labelSelector }),
);

type LabelKeys = Pick<PodAffinityTerm, 'matchLabelKeys' | 'mismatchLabelKeys' | 'labelSelector'>;

/** Validates `matchLabelKeys` and `mismatchLabelKeys`, whose values come from the pod's own labels. */
function labelKeyFaults(keys: LabelKeys, path: FieldPath): readonly FieldError[] {
  const matched = keys.matchLabelKeys ?? [];
  const mismatched = new Set(keys.mismatchLabelKeys ?? []);
  const at = path.child('matchLabelKeys');
  const both = 'exists in both matchLabelKeys and mismatchLabelKeys';
  return [
    ...keyNames(matched, { keys, path: at }),
    ...keyNames([...(keys.mismatchLabelKeys ?? [])], { keys, path: path.child('mismatchLabelKeys') }),
    ...selectedTwice(matched, { keys, path }),
    ...matched.flatMap((key, index) => (mismatched.has(key) ? [invalidField(at.index(index), key, both)] : [])),
  ];
}

function keyNames(
  list: readonly string[],
  { keys, path }: { readonly keys: LabelKeys; readonly path: FieldPath },
): readonly FieldError[] {
  if (list.length === 0) return [];
  if (!keys.labelSelector) return [forbiddenField(path, 'must not be specified when labelSelector is not set')];
  return list.flatMap((key, index) => qualifiedName(key, path.index(index)));
}

/**
 * Finds keys in both the user's selector and `matchLabelKeys`. The API server has merged `matchLabelKeys` into the
 * selector, so these keys occur twice there.
 */
function selectedTwice(
  matched: readonly string[],
  { keys, path }: { readonly keys: LabelKeys; readonly path: FieldPath },
): readonly FieldError[] {
  const selected = new Set(Object.keys(keys.labelSelector?.matchLabels ?? {}));
  return (keys.labelSelector?.matchExpressions ?? []).flatMap(({ key }) => {
    const isTwice = selected.has(key);
    selected.add(key);
    const index = matched.lastIndexOf(key);
    if (index === -1 || !isTwice) return [];
    return [invalidField(path.index(index), key, 'exists in both matchLabelKeys and labelSelector')];
  });
}

const podTerm: Check<PodAffinityTerm> = (term, path) => {
  if (!term) return [];
  return [
    ...present(labelSelector)(term.labelSelector, path.child('labelSelector')),
    ...present(labelSelector)(term.namespaceSelector, path.child('namespaceSelector')),
    ...(term.namespaces ?? []).flatMap((name) => dnsLabel(name, path.child('namespace'))),
    ...labelKeyFaults(term, path),
    ...(term.topologyKey ? [] : [requiredField(path.child('topologyKey'), 'can not be empty')]),
    ...qualifiedName(term.topologyKey, path.child('topologyKey')),
  ];
};

const podAffinity: Check<PodAffinity> = fields<PodAffinity>({
  requiredDuringSchedulingIgnoredDuringExecution: each(podTerm),
  preferredDuringSchedulingIgnoredDuringExecution: each(fields({ weight, podAffinityTerm: podTerm })),
});

const nodeRequirement: Check<NodeSelectorRequirement> = (value, path) => {
  if (!value) return [];
  return [...valuesFaults(value, path), ...qualifiedName(value.key, path.child('key'))];
};

function valuesFaults(value: NodeSelectorRequirement, path: FieldPath): readonly FieldError[] {
  const count = (value.values ?? []).length;
  const at = path.child('values');
  switch (value.operator) {
    case 'In':
    case 'NotIn':
      return count === 0 ? [requiredField(at, "must be specified when `operator` is 'In' or 'NotIn'")] : [];
    case 'Exists':
    case 'DoesNotExist':
      return count > 0
        ? [forbiddenField(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
        : [];
    case 'Gt':
    case 'Lt':
      return count === 1 ? [] : [requiredField(at, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalidField(path.child('operator'), value.operator, 'not a valid selector operator')];
  }
}

/** Validates a requirement on a node's field. Only the name can be selected. */
const fieldRequirement: Check<NodeSelectorRequirement> = (value, path) => {
  if (!value) return [];
  const { key, operator, values = [] } = value;
  const faults: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn')
    faults.push(invalidField(path.child('operator'), operator, 'not a valid selector operator'));
  else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    faults.push(requiredField(path.child('values'), detail));
  }
  if (key === 'metadata.name') return [...faults, ...each(dnsSubdomain)(values, path.child('values'))];
  return [...faults, invalidField(path.child('key'), key, 'not a valid field selector key')];
};

const nodeTerm: Check<NodeSelectorTerm> = fields<NodeSelectorTerm>({
  matchExpressions: each(nodeRequirement),
  matchFields: each(fieldRequirement),
});

/** Like {@link nodeTerm}, but also validates the values. Upstream accepts any values in preferred terms. */
const requiredNodeTerm: Check<NodeSelectorTerm> = fields<NodeSelectorTerm>({
  matchExpressions: each(all(nodeRequirement, fields<NodeSelectorRequirement>({ values: each(labelValue) }))),
  matchFields: each(fieldRequirement),
});

/** Validates node selector terms. At least one is required. */
const nodeSelectorTerms: Check<NodeSelectorTerm[]> = required(
  each(requiredNodeTerm),
  'must have at least one node selector term',
);

/** Validates a node selector of a pod or a volume. */
export const nodeSelector: Check<NodeSelector> = (value, path) =>
  value ? nodeSelectorTerms(value.nodeSelectorTerms ?? undefined, path.child('nodeSelectorTerms')) : [];

const nodeAffinity: Check<NodeAffinity> = fields<NodeAffinity>({
  requiredDuringSchedulingIgnoredDuringExecution: nodeSelector,
  preferredDuringSchedulingIgnoredDuringExecution: each(fields({ weight, preference: nodeTerm })),
});

/** Validates the affinity of a pod. */
export const affinity: Check<Affinity> = fields<Affinity>({ nodeAffinity, podAffinity, podAntiAffinity: podAffinity });
