import type { JsonSchema } from '@kubewright/schema';
import { checkNames } from '../crd/check-names.ts';
import type { Crd } from '../crd/crd.ts';
import { ImportError } from './import-error.ts';

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isFlag: Test = (value) => typeof value === 'boolean';
const isNumber: Test = (value) => typeof value === 'number' && Number.isFinite(value);
const isObject: Test = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts: Test = (value) => Array.isArray(value) && value.every(isText);

/** True for JSON values. YAML can contain other values, such as infinity. */
const isJson: Test = (value) =>
  typeof value === 'object' && value !== null
    ? Object.values(value).every(isJson)
    : value === null || isText(value) || isFlag(value) || isNumber(value);

const isRule: Test = (value) =>
  isObject(value) &&
  isText(Reflect.get(value as object, 'rule')) &&
  Object.entries(value as object).every(([key, each]) => (key === 'optionalOldSelf' ? isFlag(each) : isText(each)));

/** The required form of each keyword whose value is not a schema. Keywords that are not listed are not imported. */
const forms: Readonly<Record<string, readonly [Test, string]>> = {
  ...of(['type', 'format', 'title', 'description', 'pattern'], isText, 'a string'),
  ...of(['x-kubernetes-list-type', 'x-kubernetes-map-type'], isText, 'a string'),
  ...of(['nullable', 'exclusiveMaximum', 'exclusiveMinimum', 'uniqueItems'], isFlag, 'true or false'),
  ...of(
    ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource', 'x-kubernetes-int-or-string'],
    isFlag,
    'true or false',
  ),
  ...of(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'], isNumber, 'a number'),
  ...of(['minimum', 'maximum', 'multipleOf'], isNumber, 'a number'),
  ...of(['required', 'x-kubernetes-list-map-keys'], isTexts, 'a list of strings'),
  ...of(['default', 'example'], isJson, 'JSON'),
  enum: [(value) => Array.isArray(value) && isJson(value), 'a list of JSON values'],
  'x-kubernetes-validations': [(value) => Array.isArray(value) && value.every(isRule), 'a list of rules'],
};

function of(keys: readonly string[], test: Test, form: string): Readonly<Record<string, readonly [Test, string]>> {
  return Object.fromEntries(keys.map((key) => [key, [test, form] as const]));
}

/**
 * Validates the structure and the names of a CRD. The CRD may come from an untrusted source, and it is converted to code.
 *
 * @throws {@link ImportError}
 */
export function checkCrdForm(crd: Crd): void {
  const { group, names, scope, versions } = crd.spec as Partial<Crd['spec']>;
  if (!isObject(names)) throw wrong('spec.names', 'must be an object');
  if (!Array.isArray(versions) || versions.length === 0 || !versions.every(isObject))
    throw wrong('spec.versions', 'must be a list of versions');
  const [fault] = checkNames({ ...(names as Crd['spec']['names']), group, versions: versions.map(({ name }) => name) });
  if (fault) throw wrong(`${fault.field} is ${JSON.stringify(fault.value)}:`, fault.rule);
  if (scope !== 'Namespaced' && scope !== 'Cluster') throw wrong('spec.scope', 'must be Namespaced or Cluster');
  for (const version of versions) checkVersion(version);
}

function checkVersion({ name, schema, ...rest }: Crd['spec']['versions'][number]): void {
  const root: unknown = isObject(schema) ? schema?.openAPIV3Schema : schema;
  if (root !== undefined) checkSchema(root, '');
  const { additionalPrinterColumns = [], selectableFields = [], subresources = {}, deprecationWarning = '' } = rest;
  const isColumns = Array.isArray(additionalPrinterColumns) && additionalPrinterColumns.every(isObject);
  if (!isColumns || !isJson(additionalPrinterColumns))
    throw wrong(`additionalPrinterColumns of ${name}`, 'must be a list of columns');
  const isFields = Array.isArray(selectableFields) && selectableFields.every((each) => isText(each?.jsonPath));
  if (!isFields) throw wrong(`selectableFields of ${name}`, 'must be a list of JSON paths');
  if (!isObject(subresources) || !isJson(subresources)) throw wrong(`subresources of ${name}`, 'must be an object');
  if (!isText(deprecationWarning)) throw wrong(`deprecationWarning of ${name}`, 'must be a string');
}

/** @param path - path from the object's root: `spec.users[].name` */
function checkSchema(value: unknown, path: string): void {
  const where = path === '' ? 'the schema' : `the schema of ${path}`;
  if (!isObject(value)) throw wrong(where, 'must be an object');
  for (const [key, [test, form]] of Object.entries(forms)) {
    const given = Reflect.get(value as object, key);
    if (given !== undefined && !test(given)) throw wrong(`${key} in ${where}`, `must be ${form}`);
  }
  const { properties, items, additionalProperties, allOf, anyOf, oneOf, not } = value as JsonSchema; // checked below
  if (properties !== undefined && !isObject(properties)) throw wrong(`properties in ${where}`, 'must be an object');
  for (const [name, each] of Object.entries(properties ?? {}))
    checkSchema(each, path === '' ? name : `${path}.${name}`);
  if (items !== undefined && !Array.isArray(items)) checkSchema(items, `${path}[]`);
  if (additionalProperties !== undefined && !isFlag(additionalProperties))
    checkSchema(additionalProperties, `${path}{}`);
  for (const [key, each] of Object.entries({ allOf, anyOf, oneOf, not }))
    if (each !== undefined && !isJson(each)) throw wrong(`${key} in ${where}`, 'must be JSON');
}

function wrong(what: string, rule: string): ImportError {
  return new ImportError(`${what} ${rule}`, 'correct the CRD: the API server would reject it');
}
