import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import { containerResourceName } from '../core/resources-validation.ts';
import type { CrossVersionObjectReference, MetricIdentifier, MetricSpec, MetricTarget } from '../generated/drafts.ts';
import { type Check, fields, present, required, rule, textRule } from '../validation/check.ts';
import { checkPathSegment } from '../validation/names.ts';
import { dnsLabel } from '../validation/rules.ts';
import { billionthsOf } from '../wire/quantity.ts';

const pathSegment: Check<string> = required(textRule(checkPathSegment));

/**
 * Validates the reference to the object to scale. Unlike for a metric's object, `apiVersion` is required: a group and
 * version, or `v1`.
 */
export const scaleTarget: Check<CrossVersionObjectReference> = (target, path) => {
  const version = target?.apiVersion ?? '';
  const faults = reference(target, path);
  const [group, ...rest] = version.split('/');
  const at = path.child('apiVersion');
  if (rest.length > 1) return [...faults, invalidField(at, version, `unexpected GroupVersion string: ${version}`)];
  if ((rest.length === 1 && group !== '') || version === 'v1') return faults;
  return [...faults, invalidField(at, version, 'apiVersion must specify API group')];
};

const reference: Check<CrossVersionObjectReference> = fields<CrossVersionObjectReference>({
  kind: pathSegment,
  name: pathSegment,
});

const identifier: Check<MetricIdentifier> = (metric, path) =>
  required(textRule(checkPathSegment), 'must specify a metric name')(metric?.name, path.child('name'));

/** Validates the object of a metric, whose version may lack a group. */
const describedObject: Check<CrossVersionObjectReference> = (object, path) => {
  const version = object?.apiVersion ?? '';
  const isValid = version.split('/').length <= 2;
  const detail = `unexpected GroupVersion string: ${version}`;
  return [...reference(object, path), ...(isValid ? [] : [invalidField(path.child('apiVersion'), version, detail)])];
};

const positive: Check<string> = rule((amount) => billionthsOf(amount) > 0n, 'must be positive');

const target: Check<MetricTarget> = (given, path) => {
  const type = given?.type ?? '';
  const faults: FieldError[] =
    type === '' ? [requiredField(path.child('type'), 'must specify a metric target type')] : [];
  if (!['Utilization', 'Value', 'AverageValue'].includes(type))
    faults.push(invalidField(path.child('type'), type, 'must be either Utilization, Value, or AverageValue'));
  return [
    ...faults,
    ...positive(given?.value, path.child('value')),
    ...positive(given?.averageValue, path.child('averageValue')),
    ...rule<number>((percent) => percent >= 1, 'must be greater than 0')(
      given?.averageUtilization,
      path.child('averageUtilization'),
    ),
  ];
};

/** The sources of a metric, in the order in which upstream checks them. */
const sourceNames = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;

const source: Check<MetricSpec> = fields<MetricSpec>({
  object: present((source, path) => [
    ...describedObject(source?.describedObject, path.child('describedObject')),
    ...identifier(source?.metric, path.child('metric')),
    ...target(source?.target, path.child('target')),
    ...(hasValue(source?.target)
      ? []
      : [requiredField(path.child('target', 'averageValue'), 'must set either a target value or averageValue')]),
  ]),
  external: present((source, path) => [
    ...identifier(source?.metric, path.child('metric')),
    ...target(source?.target, path.child('target')),
    ...externalAmounts(source?.target ?? {}, path.child('target')),
  ]),
  pods: present((source, path) => [
    ...identifier(source?.metric, path.child('metric')),
    ...target(source?.target, path.child('target')),
    ...(source?.target.averageValue === undefined
      ? [requiredField(path.child('target', 'averageValue'), 'must specify a positive target averageValue')]
      : []),
  ]),
  resource: present((source, path) => [
    ...required(undefined, 'must specify a resource name')(source?.name, path.child('name')),
    ...resourceTarget(source?.target, path.child('target')),
  ]),
  containerResource: present((source, path) => [
    ...required<string>((name = '', at) => containerResourceName(name, at), 'must specify a resource name')(
      source?.name,
      path.child('name'),
    ),
    ...required(dnsLabel, 'must specify a container')(source?.container, path.child('container')),
    ...resourceTarget(source?.target, path.child('target')),
  ]),
});

const sourceOfType: ReadonlyMap<string, (typeof sourceNames)[number]> = new Map([
  ['ContainerResource', 'containerResource'],
  ['External', 'external'],
  ['Object', 'object'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
]);

/** Validates a metric: it has exactly one source, which matches its type. */
export const metric: Check<MetricSpec> = (spec, path) => {
  if (!spec) return [];
  const given = sourceNames.filter((name) => spec[name] !== undefined);
  const [first] = given;
  const expected = sourceOfType.get(spec.type);
  return [
    ...(spec.type ? [] : [requiredField(path.child('type'), 'must specify a metric source type')]),
    ...(expected ? [] : [unsupportedType(spec.type, path.child('type'))]),
    ...(first ? source({ type: spec.type, [first]: spec[first] }, path) : []),
    ...(expected && !given.includes(expected)
      ? [requiredField(path.child(expected), 'must populate information for the given metric source')]
      : []),
    ...(given.length > 1 ? given.filter((name) => name !== expected) : []).map((name) =>
      forbiddenField(path.child(name), 'must populate the given metric source only'),
    ),
  ];
};

function unsupportedType(type: string, path: FieldPath): FieldError {
  return unsupportedField(path, type ?? '', [...sourceOfType.keys()]);
}

function hasValue(given: MetricTarget | undefined): boolean {
  return given?.value !== undefined || given?.averageValue !== undefined;
}

function externalAmounts({ value, averageValue }: Partial<MetricTarget>, path: FieldPath): readonly FieldError[] {
  if (value === undefined && averageValue === undefined)
    return [requiredField(path.child('averageValue'), 'must set either a target value for metric or a per-pod target')];
  if (value === undefined || averageValue === undefined) return [];
  return [forbiddenField(path.child('value'), 'may not set both a target value for metric and a per-pod target')];
}

const resourceTarget: Check<MetricTarget> = (given, path) => {
  const { averageUtilization, averageValue } = given ?? {};
  const faults = target(given, path);
  if (averageUtilization === undefined && averageValue === undefined) {
    const detail = 'must set either a target raw value or a target utilization';
    return [...faults, requiredField(path.child('averageUtilization'), detail)];
  }
  if (averageUtilization === undefined || averageValue === undefined) return faults;
  const detail = 'may not set both a target raw value and a target utilization';
  return [...faults, forbiddenField(path.child('averageValue'), detail)];
};
