import { type FieldProblem, forbidden, invalid, notSupported, required } from './field-problem.ts';
import { additionalOf, itemsOf, type JsonSchema, type ValidationRule } from './json-schema.ts';

const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);
const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const unsupported = [
  ['id', 'id is not supported'],
  ['additionalItems', 'additionalItems is not supported'],
  ['patternProperties', 'patternProperties is not supported'],
  ['definitions', 'definitions is not supported'],
  ['dependencies', 'dependencies is not supported'],
  ['$ref', '$ref is not supported'],
] as const;

interface Place {
  readonly path: string;
  readonly isRoot: boolean;
  /** True inside `metadata` of the root or of an embedded resource. */
  readonly insideMeta: boolean;
  /** The reason why no default is allowed at this point; absent if defaults are allowed. */
  readonly noDefaults: string | undefined;
}

/**
 * Reports the problems of a CRD's schema other than structural problems (1.36): unsupported keywords, invalid list and
 * map types, contradictions, and malformed CEL rules. Does not compile the rules' expressions.
 */
export function checkOpenApi(schema: JsonSchema, path: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (schema.nullable === true) problems.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  check(schema, { path, isRoot: true, insideMeta: false, noDefaults: undefined }, problems);
  return problems;
}

function check(schema: JsonSchema, place: Place, problems: FieldProblem[]): void {
  checkKeywords(schema, place, problems);
  checkLists(schema, place.path, problems);
  checkMaps(schema, place.path, problems);
  checkRules(schema, place.path, problems);
  const below = { ...place, isRoot: false };
  const additional = additionalOf(schema);
  if (additional !== undefined) {
    const noDefaults = place.insideMeta ? 'inside additionalProperties applying to object metadata' : place.noDefaults;
    check(additional, { ...below, path: `${place.path}.additionalProperties`, noDefaults }, problems);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isMeta = metaFields.has(name) && (place.isRoot || schema['x-kubernetes-embedded-resource'] === true);
    const noDefaults = isMeta && place.isRoot ? `in top-level ${name}` : place.noDefaults;
    const insideMeta = place.insideMeta || isMeta;
    check(property, { ...below, path: `${place.path}.properties[${name}]`, insideMeta, noDefaults }, problems);
  }
  if (schema.not !== undefined) check(schema.not, { ...below, path: `${place.path}.not` }, problems);
  for (const junctor of ['allOf', 'oneOf', 'anyOf'] as const) {
    (schema[junctor] ?? []).forEach((nested, i) => {
      check(nested, { ...below, path: `${place.path}.${junctor}[${i}]` }, problems);
    });
  }
  const items = itemsOf(schema);
  if (items !== undefined) check(items, { ...below, path: `${place.path}.items` }, problems);
}

function checkKeywords(schema: JsonSchema, { path, insideMeta, noDefaults }: Place, problems: FieldProblem[]): void {
  const type = schema.type ?? '';
  if (type !== '' && type !== 'null' && !types.includes(type)) problems.push(notSupported(`${path}.type`, type, types));
  if (schema.default !== undefined && noDefaults !== undefined) {
    problems.push(forbidden(`${path}.default`, `must not be set ${noDefaults}`));
  }
  for (const [name, detail] of unsupported) {
    const value = schema[name];
    const empty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
    if (value !== undefined && value !== '' && !(empty && name !== 'dependencies')) {
      problems.push(forbidden(`${path}.${name}`, detail));
    }
  }
  if (type === 'null') {
    problems.push(notSupported(`${path}.type`, type, types));
    problems.push(forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'));
  }
  if (Array.isArray(schema.items)) {
    problems.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'));
  }
  if (insideMeta && schema['x-kubernetes-embedded-resource'] === true) {
    problems.push(forbidden(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'));
  }
  if (schema.uniqueItems === true) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    problems.push(forbidden(`${path}.uniqueItems`, detail));
  }
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== true) {
    if (Object.keys(schema.properties ?? {}).length > 0) {
      const detail = 'additionalProperties and properties are mutual exclusive';
      problems.push(forbidden(`${path}.additionalProperties`, detail));
    }
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    problems.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  }
}

function checkMaps(schema: JsonSchema, path: string, problems: FieldProblem[]): void {
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return;
  if (schema.type !== 'object') {
    const detail = 'must be object if x-kubernetes-map-type is specified';
    const type = schema.type ?? '';
    problems.push(type === '' ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail));
  }
  if (mapType !== 'atomic' && mapType !== 'granular') {
    problems.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']));
  }
}

function checkLists(schema: JsonSchema, path: string, problems: FieldProblem[]): void {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const typePath = `${path}.x-kubernetes-list-type`;
  if (listType !== undefined && schema.type !== 'array') {
    const detail = 'must be array if x-kubernetes-list-type is specified';
    const type = schema.type ?? '';
    problems.push(type === '' ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail));
  } else if (listType === 'set') {
    checkSetItems(schema, path, problems);
  }
  if (listType !== undefined && !['atomic', 'set', 'map'].includes(listType)) {
    problems.push(notSupported(typePath, listType, ['atomic', 'set', 'map']));
  }
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    problems.push(listType === undefined ? required(typePath, detail) : invalid(typePath, listType, detail));
  }
  if (listType === 'map') checkListMap(schema, path, problems);
}

function checkSetItems(schema: JsonSchema, path: string, problems: FieldProblem[]): void {
  const items = itemsOf(schema);
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const itemListType = items?.['x-kubernetes-list-type'];
  if (items?.type === 'array' && itemListType !== undefined && itemListType !== 'atomic') {
    problems.push(invalid(`${path}.items.x-kubernetes-list-type`, itemListType, detail));
  }
  if (items?.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    problems.push(invalid(`${path}.items.x-kubernetes-map-type`, itemListType ?? null, detail));
  }
}

function checkListMap(schema: JsonSchema, path: string, problems: FieldProblem[]): void {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const keysPath = `${path}.x-kubernetes-list-map-keys`;
  const items = itemsOf(schema);
  if (keys.length === 0) problems.push(required(keysPath, 'must not be empty if x-kubernetes-list-type is map'));
  if (schema.items === undefined) {
    problems.push(required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map'));
  }
  if (items === undefined) return;
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    problems.push(invalid(`${path}.items.type`, items.type ?? '', detail));
    return;
  }
  keys.forEach((key, i) => {
    const property =
      items.properties !== undefined && Object.hasOwn(items.properties, key) ? items.properties[key] : undefined;
    const propertyPath = `${path}.items.properties[${key}]`;
    if (property === undefined) {
      problems.push(invalid(keysPath, keys, 'entries must all be names of item properties'));
    } else if (property.type === 'array' || property.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      problems.push(invalid(`${propertyPath}.type`, items.type, detail));
    }
    if (keys.indexOf(key) < i) problems.push(invalid(keysPath, keys, 'must not contain duplicate entries'));
    if (property !== undefined && property.nullable === true) {
      const detail = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      problems.push(forbidden(`${propertyPath}.nullable`, detail));
    }
    if (property !== undefined && property.default === undefined && items.required?.includes(key) !== true) {
      const detail =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      problems.push(required(`${propertyPath}.default`, detail));
    }
  });
}

function checkRules(schema: JsonSchema, path: string, problems: FieldProblem[]): void {
  (schema['x-kubernetes-validations'] ?? []).forEach((rule, i) => {
    checkRule(rule, `${path}.x-kubernetes-validations[${i}]`, problems);
  });
}

function checkRule(rule: ValidationRule, path: string, problems: FieldProblem[]): void {
  const text = (rule.rule ?? '').trim();
  const message = (rule.message ?? '').trim();
  if (text === '') problems.push(required(`${path}.rule`, 'rule is not specified'));
  else if ((rule.message ?? '') !== '' && message === '') {
    problems.push(invalid(`${path}.message`, rule.message, 'must be non-empty if specified'));
  } else if (/[\r\n]/.test(message)) {
    problems.push(invalid(`${path}.message`, rule.message, 'must not contain line breaks'));
  } else if (/[\r\n]/.test(text) && message === '') {
    problems.push(required(`${path}.message`, 'message must be specified if rule contains line breaks'));
  }
  if ((rule.messageExpression ?? '') !== '' && rule.messageExpression?.trim() === '') {
    problems.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  }
  if (rule.reason !== undefined && !reasons.includes(rule.reason)) {
    problems.push(notSupported(`${path}.reason`, rule.reason, reasons));
  }
  const fieldPath = rule.fieldPath ?? '';
  if (fieldPath !== '' && fieldPath.trim() === '') {
    problems.push(invalid(`${path}.fieldPath`, fieldPath, 'must be non-empty if specified'));
  }
  if (/[\r\n]/.test(fieldPath)) problems.push(invalid(`${path}.fieldPath`, fieldPath, 'must not contain line breaks'));
}
