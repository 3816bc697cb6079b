import { Buffer } from 'node:buffer';
import {
  checkDns1035Label,
  duplicateField,
  type FieldError,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import { sameJson, stringifyJson } from '@kubewright/apimachinery/internal';
import { checkStructural, compileRules, compileStructuralSchema, type JsonSchema, rulesOf } from '@kubewright/schema';
import { fieldErrorOf, type SchemaTools } from './compile-version.ts';
import type { CrdColumn, CrdSpec, CrdVersion, CustomResourceDefinition } from './custom-resource-definition.ts';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/** Validates a CRD's versions: names, storage version, schemas, rules, columns, subresources. */
export function validateVersions(
  { spec }: CustomResourceDefinition,
  { old, ...tools }: SchemaTools & { readonly old: CustomResourceDefinition | undefined },
): readonly FieldError[] {
  const { versions: given } = spec as Partial<CrdSpec>; // not validated yet
  const versions = given ?? [];
  const faults: FieldError[] = [];
  const storage = versions.filter((version) => version.storage);
  const shown = given?.map(showVersion) ?? null;
  for (const [i, version] of versions.entries()) {
    const { name = '' } = version;
    const wrong = checkDns1035Label(name);
    if (wrong.length > 0) faults.push(invalidField(`spec.versions[${i}].name`, name, wrong.join(',')));
    faults.push(...validateDeprecation(version, `spec.versions[${i}].deprecationWarning`));
    if (version.schema?.openAPIV3Schema === undefined) {
      faults.push(requiredField(`spec.versions[${i}].schema.openAPIV3Schema`));
    }
  }
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    faults.push(invalidField('spec.versions', shown, 'must contain unique version names'));
  }
  if (storage.length !== 1) {
    faults.push(invalidField('spec.versions', shown, 'must have exactly one version marked as storage version'));
    faults.push(storedVersionsFault(storage));
  }
  // In v1beta1, a separate field held the single version; upstream still validates it.
  const first = versions[0]?.name ? checkDns1035Label(versions[0].name) : [];
  if (first.length > 0) faults.push(invalidField('spec.version', versions[0]?.name, first.join(',')));
  const paths = fieldPaths(versions);
  for (const [i, version] of versions.entries()) {
    const at = paths(i);
    if (at === undefined) continue;
    const schema = version.schema?.openAPIV3Schema;
    const before = old?.spec.versions.find(({ name }) => name === versions[i]?.name)?.schema?.openAPIV3Schema;
    if (schema) faults.push(...validateSchema(schema, at.schema, { ...tools, before }));
    faults.push(...validateColumns(version.additionalPrinterColumns ?? [], at.base));
    faults.push(...validateScale(version, at.base));
    if (schema) faults.push(...validateSelectableFields(version, schema, at.base));
  }
  return faults;
}

function storedVersionsFault([first, ...others]: readonly CrdVersion[]): FieldError {
  const last = others.at(-1);
  if (!first || !last) return invalidField('status.storedVersions', null, 'must have at least one stored version');
  return invalidField('status.storedVersions', [first.name], `must have the storage version ${last.name}`);
}

const maxWarningLength = 256;

function validateDeprecation({ deprecated, deprecationWarning }: CrdVersion, field: string): readonly FieldError[] {
  if (deprecationWarning === undefined) return [];
  const fault = (detail: string): FieldError => invalidField(field, deprecationWarning, detail);
  const faults: FieldError[] = [];
  if (!deprecated) faults.push(fault('can only be set for deprecated versions'));
  if (deprecationWarning.length > maxWarningLength) {
    faults.push(fault(`must be <= ${maxWarningLength} characters long`));
  }
  if (deprecationWarning === '') faults.push(fault('must not be an empty string'));
  // The characters that Go considers printable: letters, marks, numbers, punctuation, symbols and the plain space.
  const strange = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(deprecationWarning);
  if (strange) {
    const at = Buffer.byteLength(deprecationWarning.slice(0, strange.index));
    faults.push(fault(`must only contain printable UTF-8 characters; non-printable character found at index ${at}`));
  }
  return faults;
}

/**
 * Returns a function that maps the index of a version to its field paths in messages. If all versions have the same fields, they
 * are validated once and reported at the top level, as in v1beta1.
 */
function fieldPaths(versions: readonly CrdVersion[]) {
  const [first] = versions;
  const key = ({ schema, subresources, additionalPrinterColumns, selectableFields }: CrdVersion): string =>
    stringifyJson([schema, subresources, additionalPrinterColumns, selectableFields]);
  const common = first !== undefined && versions.every((version) => key(version) === key(first));
  return (i: number): { readonly schema: string; readonly base: string } | undefined => {
    if (common) return i === 0 ? { schema: 'spec.validation.openAPIV3Schema', base: 'spec' } : undefined;
    return { schema: `spec.versions[${i}].schema.openAPIV3Schema`, base: `spec.versions[${i}]` };
  };
}

function validateSchema(
  schema: JsonSchema,
  path: string,
  { compilePattern, environment, before }: SchemaTools & { readonly before: JsonSchema | undefined },
): readonly FieldError[] {
  const problems = checkStructural(schema, { path, compilePattern });
  if (problems.length > 0) return problems.map(fieldErrorOf);
  const rules = rulesOf(schema);
  if (rules.length === 0) return [];
  const { node } = compileStructuralSchema(schema, { compilePattern });
  const costs = { schema, unchanged: sameJson(schema, before) };
  return compileRules(node, rules, { environment, schemaPath: path, costs }).problems.map(fieldErrorOf);
}

const simplePath = 'must be a simple json path starting with .';

function validateColumns(columns: readonly CrdColumn[], base: string): readonly FieldError[] {
  return columns.flatMap(({ name, type, format, jsonPath }, i) => {
    const path = `${base}.additionalPrinterColumns[${i}]`;
    const faults: FieldError[] = [];
    const types = `must be one of ${columnTypes.join(',')}`;
    if (!name) faults.push(requiredField(`${path}.name`));
    if (!type) faults.push(requiredField(`${path}.type`, types));
    else if (!columnTypes.includes(type)) faults.push(invalidField(`${path}.type`, type, types));
    if (format && !columnFormats.includes(format)) {
      faults.push(invalidField(`${path}.format`, format, `must be one of ${columnFormats.join(',')}`));
    }
    if (!jsonPath) faults.push(requiredField(`${path}.JSONPath`));
    else if (!jsonPath.startsWith('.')) {
      faults.push(invalidField(`${path}.JSONPath`, jsonPath, simplePath));
    }
    return faults;
  });
}

function validateScale({ subresources }: CrdVersion, base: string): readonly FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const faults: FieldError[] = [];
  const under = (name: string, value: string | undefined, roots: readonly string[]): void => {
    const field = `${base}.subresources.scale.${name}`;
    if (!value) faults.push(requiredField(field));
    else if (!value.startsWith('.')) faults.push(invalidField(field, value, simplePath));
    else if (!roots.some((root) => value.startsWith(`${root}.`))) {
      faults.push(
        invalidField(
          field,
          value,
          `should be a json path under ${roots.length > 1 ? 'either ' : ''}${roots.join(' or ')}`,
        ),
      );
    }
  };
  under('specReplicasPath', scale.specReplicasPath, ['.spec']);
  under('statusReplicasPath', scale.statusReplicasPath, ['.status']);
  if (scale.labelSelectorPath) under('labelSelectorPath', scale.labelSelectorPath, ['.spec', '.status']);
  return faults;
}

const leaves = ['string', 'boolean', 'integer'];

function validateSelectableFields(
  { selectableFields = [] }: CrdVersion,
  schema: JsonSchema,
  base: string,
): readonly FieldError[] {
  const seen = new Set<string>();
  return selectableFields.flatMap(({ jsonPath }, i): FieldError[] => {
    const field = `${base}.selectableFields[${i}].jsonPath`;
    if (!jsonPath) return [requiredField(field)];
    if (seen.has(jsonPath)) return [duplicateField(field, jsonPath)];
    seen.add(jsonPath);
    const invalid = (why: string): FieldError[] => [invalidField(field, jsonPath, why)];
    const start = /^[^.[]+/.exec(jsonPath)?.[0];
    if (start !== undefined) return invalid(`is an invalid path: expected [ or . but got: ${start}`);
    const keys = jsonPath.split('.').slice(1);
    const found = keys.reduce<JsonSchema | undefined>((node, name) => propertyOf(node, name), schema);
    if (found === undefined) return invalid('is an invalid path: does not refer to a valid field');
    if (leaves.includes(found.type ?? '')) return [];
    return invalid(
      'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
    );
  });
}

/** Formats a version as Go prints its internal form. */
function showVersion({
  name = '',
  served = false,
  storage = false,
  deprecated = false,
  deprecationWarning,
}: CrdVersion): object {
  return {
    Name: name,
    Served: served,
    Storage: storage,
    Deprecated: deprecated,
    DeprecationWarning: deprecationWarning ?? null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  };
}

function propertyOf(schema: JsonSchema | undefined, name: string): JsonSchema | undefined {
  const { properties = {} } = schema ?? {};
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}
