import {
  checkQualifiedName,
  duplicateField,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import type { LimitRange, LimitRangeItem, ResourceQuota } from '../generated/drafts.ts';
import { semanticEqual } from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { billionthsOf } from '../wire/quantity.ts';
import { quotaAmounts, quotaFaults } from './quota-validation.ts';
import { containerResourceName, resourceName } from './resources-validation.ts';

const specPath = FieldPath.of('spec');
const limitTypes = ['Pod', 'Container', 'PersistentVolumeClaim'];

/** Validation of LimitRanges and ResourceQuotas. */
export const limitsValidation: readonly ValidationEntry[] = [
  validationOf<LimitRange>('/v1/limitranges', { validate: ({ spec }) => limitsFaults(spec.limits ?? []) }),
  validationOf<ResourceQuota>('/v1/resourcequotas', {
    validate: ({ spec }) => quotaFaults(spec, specPath),
    validateUpdate: ({ spec }, old) => {
      const [now, before] = [new Set(spec.scopes), new Set(old.spec.scopes)];
      if (semanticEqual([...now].sort(), [...before].sort())) return [];
      return [invalidField(specPath.child('scopes'), spec.scopes ?? null, 'field is immutable')];
    },
  }),
  validationOf<ResourceQuota>('/v1/resourcequotas/status', {
    validate: ({ status }) => [
      ...quotaAmounts(status.hard, FieldPath.of('status', 'hard')),
      ...quotaAmounts(status.used, FieldPath.of('status', 'used')),
    ],
  }),
];

function limitsFaults(list: readonly LimitRangeItem[]): readonly FieldError[] {
  return list.flatMap((item, index) => {
    const path = specPath.child('limits').index(index);
    const repeated = list.findIndex(({ type }) => type === item.type) < index;
    return [
      ...typeFaults(item.type, path.child('type')),
      ...(repeated ? [duplicateField(path.child('type'), item.type)] : []),
      ...nameFaults(item, path),
      ...[...amountsByName(item)].flatMap(([name, amounts]) => amountFaults({ name, amounts, path })),
    ];
  });
}

function typeFaults(type: string, path: FieldPath): readonly FieldError[] {
  const faults = checkQualifiedName(type).map((detail) => invalidField(path, type, detail));
  if (faults.length > 0 || type.includes('/') || limitTypes.includes(type)) return faults;
  return [invalidField(path, type, 'must be a standard limit type or fully qualified')];
}

const lists = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

/** Returns the lists that a limit item may have. Limits of type `Pod` have no defaults. */
function listsOf({ type }: LimitRangeItem): readonly (typeof lists)[number][] {
  return type === 'Pod' ? lists.filter((list) => !list.startsWith('default')) : lists;
}

function nameFaults(item: LimitRangeItem, path: FieldPath): readonly FieldError[] {
  const ofContainers = item.type === 'Pod' || item.type === 'Container';
  const allowed = listsOf(item);
  const faults = lists.flatMap((list) => {
    const names = Object.keys(item[list] ?? {});
    if (!allowed.includes(list)) {
      return names.length === 0 ? [] : [forbiddenField(path.child(list), "may not be specified when `type` is 'Pod'")];
    }
    return names.flatMap((name) =>
      (ofContainers ? containerResourceName : resourceName)(name, path.child(list).key(name)),
    );
  });
  const { type, min = {}, max = {} } = item;
  if (type !== 'PersistentVolumeClaim' || 'storage' in min || 'storage' in max) return faults;
  const detail = 'either minimum or maximum storage value is required, but neither was provided';
  return [...faults, requiredField(path.child('limits'), detail)];
}

type Amounts = { readonly [List in (typeof lists)[number]]?: string | undefined };

function amountsByName(item: LimitRangeItem): ReadonlyMap<string, Amounts> {
  const found = new Map<string, Amounts>();
  for (const list of listsOf(item)) {
    for (const [name, amount] of Object.entries(item[list] ?? {}))
      found.set(name, { ...found.get(name), [list]: amount });
  }
  return found;
}

function amountFaults(one: {
  readonly name: string;
  readonly amounts: Amounts;
  readonly path: FieldPath;
}): FieldError[] {
  const { name, path } = one;
  const { min, max, default: limit, defaultRequest: request, maxLimitRequestRatio: ratio } = one.amounts;
  const faults: FieldError[] = [];
  const reject = (list: (typeof lists)[number], value: string | undefined, detail: string): void =>
    void faults.push(invalidField(path.child(list).key(name), value, detail));
  if (over(min, max)) reject('min', min, `min value ${min} is greater than max value ${max}`);
  if (over(min, request)) {
    reject('defaultRequest', request, `min value ${min} is greater than default request value ${request}`);
  }
  if (over(request, max)) {
    reject('defaultRequest', request, `default request value ${request} is greater than max value ${max}`);
  }
  if (over(request, limit)) {
    reject('defaultRequest', request, `default request value ${request} is greater than default limit value ${limit}`);
  }
  if (over(min, limit)) reject('default', min, `min value ${min} is greater than default value ${limit}`);
  if (over(limit, max)) reject('default', max, `default value ${limit} is greater than max value ${max}`);
  if (over('1', ratio)) reject('maxLimitRequestRatio', ratio, `ratio ${ratio} is less than 1`);
  if (ratio !== undefined && min !== undefined && max !== undefined) {
    const most = Number(billionthsOf(max)) / Number(billionthsOf(min));
    if (Number(billionthsOf(ratio)) / 1e9 > most) {
      reject('maxLimitRequestRatio', ratio, `ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`);
    }
  }
  const overcommit = !name.startsWith('hugepages-') && (!name.includes('/') || name.includes('kubernetes.io/'));
  if (!overcommit && limit !== undefined && request !== undefined && billionthsOf(limit) !== billionthsOf(request)) {
    const detail = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
    reject('defaultRequest', request, detail);
  }
  return faults;
}

function over(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && billionthsOf(a) > billionthsOf(b);
}
