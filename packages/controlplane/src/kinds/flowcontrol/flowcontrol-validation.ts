import {
  checkDns1123Label,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import type {
  ExemptPriorityLevelConfiguration,
  Flowcontrolv1Subject,
  FlowSchema,
  FlowSchemaSpec,
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
  ResourcePolicyRule,
} from '../generated/drafts.ts';
import {
  all,
  type Check,
  each,
  enumOf,
  fields,
  isEmpty,
  present,
  required,
  rule,
  unique,
} from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { dnsSubdomain } from '../validation/rules.ts';

const specPath = FieldPath.of('spec');
const conditionsPath = FieldPath.of('status', 'conditions');
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

/** Validation of FlowSchemas and PriorityLevelConfigurations. */
export const flowcontrolValidation: readonly ValidationEntry[] = [
  validationOf<FlowSchema>('flowcontrol.apiserver.k8s.io/v1/flowschemas', {
    validate: ({ metadata, spec, status }) => [
      ...precedenceFaults(spec, metadata.name ?? ''),
      ...flowSchema(spec, specPath),
      ...conditions(status.conditions, conditionsPath),
    ],
  }),
  validationOf<PriorityLevelConfiguration>('flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations', {
    validate: ({ metadata, spec, status }) => [
      ...levelTypeFaults(spec, metadata.name ?? ''),
      ...priorityLevel(spec, specPath),
      ...conditions(status.conditions, conditionsPath),
    ],
  }),
  ...(['flowschemas', 'prioritylevelconfigurations'] as const).map((resource) =>
    validationOf<FlowSchema>(`flowcontrol.apiserver.k8s.io/v1/${resource}/status`, {
      validate: ({ status }) => conditions(status.conditions, conditionsPath),
    }),
  ),
];

interface Condition {
  readonly type?: string | undefined;
}

const conditions: Check<readonly Condition[]> = all(
  unique<Condition>(
    ({ type }) => type,
    (path) => path.child('type'),
  ),
  each(fields<Condition>({ type: required() })),
);

function precedenceFaults({ matchingPrecedence: value }: FlowSchemaSpec, name: string): readonly FieldError[] {
  const reject = (detail: string): readonly FieldError[] => [
    invalidField(specPath.child('matchingPrecedence'), value, detail),
  ];
  if (value <= 0) return reject('must be a positive value');
  if (value > 10_000) return reject('must not be greater than 10000');
  return value === 1 && name !== 'exempt' ? reject("only the schema named 'exempt' may have matchingPrecedence 1") : [];
}

/** Requires that `*` is the only item of a list. */
function wildcardAlone(what: string): Check<readonly string[]> {
  return (list, path) =>
    list !== undefined && list.length > 1 && list.includes('*')
      ? [invalidField(path, list, `if '*' is present, must not specify other ${what}`)]
      : [];
}

const verbList: Check<string[]> = required((list = [], path) => {
  if (list.includes('*')) return wildcardAlone('verbs')(list, path);
  return list.every((verb) => verbs.includes(verb)) ? [] : [unsupportedField(path, list, verbs)];
}, 'verbs must contain at least one value');

const resourceRule: Check<ResourcePolicyRule> = all(
  fields<ResourcePolicyRule>({
    verbs: verbList,
    apiGroups: required(wildcardAlone('api groups'), 'resource rules must supply at least one api group'),
    resources: required(wildcardAlone('resources'), 'resource rules must supply at least one resource'),
  }),
  (value, path) => {
    const { namespaces, clusterScope } = value ?? {};
    const list = namespaces ?? [];
    const at = path.child('namespaces');
    if (list.length === 0 && !clusterScope) {
      return [requiredField(at, 'resource rules that are not cluster scoped must supply at least one namespace')];
    }
    if (list.includes('*')) return wildcardAlone('namespaces')(list, at);
    const intro = "each member of this list must be '*' or a DNS-1123 label; ";
    return list.flatMap((name, index) =>
      checkDns1123Label(name).map((detail) => invalidField(at.index(index), name, `${intro}${detail}`)),
    );
  },
);

const urlPath: Check<string> = (value = '', path) => {
  const reject = (detail: string): readonly FieldError[] => [invalidField(path, value, detail)];
  if (value === '') return reject('must not be empty');
  if (value === '/') return [];
  if (!value.startsWith('/')) return reject('must start with slash');
  if (value.includes(' ')) return reject('must not contain white-space');
  if (value.includes('//')) return reject('must not contain double slash');
  const stars = value.split('*').length - 1;
  const suffixOnly = stars === 0 || (stars === 1 && value.endsWith('/*'));
  return suffixOnly ? [] : reject('wildcard can only do suffix matching');
};

const nonResourceRule: Check<NonResourcePolicyRule> = fields<NonResourcePolicyRule>({
  verbs: verbList,
  nonResourceURLs: required(
    (list, path) => (list?.includes('*') ? wildcardAlone('non-resource URLs')(list, path) : each(urlPath)(list, path)),
    'nonResourceURLs must contain at least one value',
  ),
});

/** The field that each kind of subject uses. */
const subjectFields = [
  ['serviceAccount', 'ServiceAccount'],
  ['user', 'User'],
  ['group', 'Group'],
] as const;

const subject: Check<Flowcontrolv1Subject> = (value, path) => {
  if (!value) return [];
  const own = subjectFields.find(([, kind]) => kind === value.kind);
  if (!own) return [unsupportedField(path.child('kind'), value.kind, ['Group', 'ServiceAccount', 'User'])];
  const [field, kind] = own;
  const faults = value[field]
    ? subjectFaults(value, path)
    : [requiredField(path.child(field), `${field} is required when subject kind is '${kind}'`)];
  const others = subjectFields.filter(([other]) => other !== field && value[other] !== undefined);
  return [
    ...faults,
    ...others.map(([other, otherKind]) =>
      forbiddenField(path.child(other), `${other} is forbidden when subject kind is not '${otherKind}'`),
    ),
  ];
};

function subjectFaults({ kind, user, group, serviceAccount }: Flowcontrolv1Subject, path: FieldPath): FieldError[] {
  if (kind !== 'ServiceAccount') {
    const [field, given] = kind === 'User' ? ['user', user] : ['group', group];
    return given?.name ? [] : [requiredField(path.child(field as string, 'name'))];
  }
  const at = path.child('serviceAccount');
  const { name = '', namespace = '' } = serviceAccount ?? {};
  const named = name === '*' ? [] : required(dnsSubdomain)(name, at.child('name'));
  if (namespace === '') {
    return [...named, requiredField(at.child('namespace'), 'must specify namespace for service account')];
  }
  return [
    ...named,
    ...checkDns1123Label(namespace).map((detail) => invalidField(at.child('namespace'), namespace, detail)),
  ];
}

const flowSchema: Check<FlowSchemaSpec> = fields<FlowSchemaSpec>({
  distinguisherMethod: (method, path) =>
    method && !['ByNamespace', 'ByUser'].includes(method.type)
      ? [unsupportedField(path.child('type'), { Type: method.type }, ['ByNamespace', 'ByUser'])]
      : [],
  priorityLevelConfiguration: fields({ name: required(dnsSubdomain, 'must reference a priority level') }),
  rules: each<PolicyRulesWithSubjects>((value, path) => [
    ...required<Flowcontrolv1Subject[]>(each(subject), 'subjects must contain at least one value')(
      value?.subjects ?? undefined,
      path.child('subjects'),
    ),
    ...(isEmpty(value?.resourceRules) && isEmpty(value?.nonResourceRules)
      ? [requiredField(path, 'at least one of resourceRules and nonResourceRules has to be non-empty')]
      : []),
    ...each(resourceRule)(value?.resourceRules, path.child('resourceRules')),
    ...each(nonResourceRule)(value?.nonResourceRules, path.child('nonResourceRules')),
  ]),
});

function levelTypeFaults({ type }: PriorityLevelConfigurationSpec, name: string): readonly FieldError[] {
  if ((name === 'exempt') === (type === 'Exempt')) return [];
  return [invalidField(specPath.child('type'), type, "must be 'Exempt' if and only if `name` is 'exempt'")];
}

const count: Check<number> = present(rule((value) => value >= 0, 'must be a non-negative integer'));
const percent: Check<number> = present(
  rule((value) => value >= 0 && value <= 100, 'must be between 0 and 100, inclusive'),
);

const queuing: Check<QueuingConfiguration> = (value, path) => {
  if (!value) return [];
  const { queues, handSize, queueLengthLimit } = value;
  const positive = rule<number>((number) => number > 0, 'must be positive');
  const faults = [
    ...positive(queueLengthLimit, path.child('queueLengthLimit')),
    ...positive(queues, path.child('queues')),
    ...positive(handSize, path.child('handSize')),
  ];
  const reject = (field: string, number: number, detail: string): void =>
    void faults.push(invalidField(path.child(field), number, detail));
  if (queues > 10_000_000) reject('queues', queues, 'must not be greater than 10000000');
  if (handSize <= 0) return faults;
  if (handSize > queues) reject('handSize', handSize, `should not be greater than queues (${queues})`);
  else if (entropyBits(queues, handSize) > 60) {
    const detail = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than 60`;
    reject('handSize', handSize, detail);
  }
  return faults;
};

/** Returns the number of bits needed to choose a hand of queues from a deck. */
function entropyBits(deckSize: number, handSize: number): number {
  return Math.ceil(Math.log2(deckSize) * handSize);
}

const limitResponse: Check<LimitResponse> = (value, path) => {
  const { type = '', queuing: queue } = value ?? {};
  const at = path.child('queuing');
  if (type === 'Reject') {
    return queue ? [forbiddenField(at, 'must be nil if limited.limitResponse.type is not Limited')] : [];
  }
  if (type !== 'Queue') return required(enumOf('Queue', 'Reject'))(type, path.child('type'));
  if (!queue) return [requiredField(at, 'must not be empty if limited.limitResponse.type is Limited')];
  return queuing(queue, at);
};

const limited: Check<LimitedPriorityLevelConfiguration> = fields<LimitedPriorityLevelConfiguration>({
  nominalConcurrencyShares: count,
  limitResponse,
  lendablePercent: percent,
  borrowingLimitPercent: present(rule((value) => value >= 0, 'if specified, must be a non-negative integer')),
});

const priorityLevel: Check<PriorityLevelConfigurationSpec> = (spec, path) => {
  if (!spec) return [];
  if (spec.type === 'Exempt') {
    return [
      ...(spec.limited ? [forbiddenField(path.child('limited'), 'must be nil if the type is not Limited')] : []),
      ...fields<ExemptPriorityLevelConfiguration>({ nominalConcurrencyShares: count, lendablePercent: percent })(
        spec.exempt,
        path.child('exempt'),
      ),
    ];
  }
  if (spec.type !== 'Limited') return required(enumOf('Exempt', 'Limited'))(spec.type, path.child('type'));
  return [
    ...(spec.exempt ? [forbiddenField(path.child('exempt'), 'must be nil if the type is Limited')] : []),
    ...required(limited, 'must not be empty when type is Limited')(spec.limited, path.child('limited')),
  ];
};
