import { checkDns1035Label, type FieldError, invalidField, requiredField } from '@kubewright/apimachinery';
import { checkStructural, compileRules, compileStructuralSchema, type JsonSchema, rulesOf } from '@kubewright/schema';
import { fieldErrorOf, type SchemaTools } from './compile-version.ts';
import type { CrdColumn, CrdVersion, CustomResourceDefinition } from './custom-resource-definition.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];

/** Validates a CRD's versions: their names, which one is stored, schemas, rules, columns, subresources. */
export function validateVersions({ spec }: CustomResourceDefinition, tools: SchemaTools): readonly FieldError[] {
  const { versions } = spec;
  const faults: FieldError[] = [];
  const storage = versions.filter((version) => version.storage);
  const shown = versions.map(showVersion);
  for (const [i, version] of versions.entries()) {
    const wrong = checkDns1035Label(version.name);
    if (wrong.length > 0) faults.push(invalidField(`spec.versions[${i}].name`, version.name, wrong.join(',')));
    if (version.deprecationWarning !== undefined && !version.deprecated) {
      const field = `spec.versions[${i}].deprecationWarning`;
      faults.push(invalidField(field, version.deprecationWarning, 'can only be set for deprecated versions'));
    }
    if (version.schema?.openAPIV3Schema === undefined) {
      faults.push(requiredField(`spec.versions[${i}].schema.openAPIV3Schema`));
    }
  }
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    faults.push(invalidField('spec.versions', shown, 'must contain unique version names'));
  }
  if (storage.length !== 1) {
    faults.push(invalidField('spec.versions', shown, 'must have exactly one version marked as storage version'));
    faults.push(invalidField('status.storedVersions', null, 'must have at least one stored version'));
  }
  const paths = fieldPaths(versions);
  for (const [i, version] of versions.entries()) {
    const at = paths(i);
    if (at === undefined) continue;
    const schema = version.schema?.openAPIV3Schema;
    if (schema) faults.push(...validateSchema(schema, at.schema, tools));
    faults.push(...validateColumns(version.additionalPrinterColumns ?? [], at.base));
    faults.push(...validateScale(version, at.base));
    if (schema) faults.push(...validateSelectableFields(version, schema, at.base));
  }
  return faults;
}

/**
 * Where a version's fields stand in messages. What all versions have in common stands at the top, as in the days of
 * v1beta1, and is looked at once only.
 */
function fieldPaths(versions: readonly CrdVersion[]) {
  const [first] = versions;
  const key = ({ schema, subresources, additionalPrinterColumns, selectableFields }: CrdVersion): string =>
    JSON.stringify([schema, subresources, additionalPrinterColumns, selectableFields]);
  const common = first !== undefined && versions.every((version) => key(version) === key(first));
  return (i: number): { readonly schema: string; readonly base: string } | undefined => {
    if (common) return i === 0 ? { schema: 'spec.validation.openAPIV3Schema', base: 'spec' } : undefined;
    return { schema: `spec.versions[${i}].schema.openAPIV3Schema`, base: `spec.versions[${i}]` };
  };
}

function validateSchema(schema: JsonSchema, path: string, tools: SchemaTools): readonly FieldError[] {
  const { compilePattern, environment } = tools;
  const problems = checkStructural(schema, { path, compilePattern });
  if (problems.length > 0) return problems.map(fieldErrorOf);
  const rules = rulesOf(schema);
  if (rules.length === 0) return [];
  const { node } = compileStructuralSchema(schema, { compilePattern });
  return compileRules(node, rules, { environment, schemaPath: path }).problems.map(fieldErrorOf);
}

function validateColumns(columns: readonly CrdColumn[], base: string): readonly FieldError[] {
  return columns.flatMap(({ name, type, jsonPath }, i) => {
    const path = `${base}.additionalPrinterColumns[${i}]`;
    const faults: FieldError[] = [];
    const types = `must be one of ${COLUMN_TYPES.join(',')}`;
    if (!name) faults.push(requiredField(`${path}.name`));
    if (!type) faults.push(requiredField(`${path}.type`, types));
    else if (!COLUMN_TYPES.includes(type)) faults.push(invalidField(`${path}.type`, type, types));
    if (!jsonPath) faults.push(requiredField(`${path}.JSONPath`));
    else if (!jsonPath.startsWith('.')) {
      faults.push(invalidField(`${path}.JSONPath`, jsonPath, 'must be a simple json path starting with .'));
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
    else if (!roots.some((root) => value.startsWith(`${root}.`))) {
      faults.push(invalidField(field, value, `should be a json path under ${roots.join(' or ')}`));
    }
  };
  under('specReplicasPath', scale.specReplicasPath, ['.spec']);
  under('statusReplicasPath', scale.statusReplicasPath, ['.status']);
  if (scale.labelSelectorPath) under('labelSelectorPath', scale.labelSelectorPath, ['.spec', '.status']);
  return faults;
}

function validateSelectableFields(
  { selectableFields = [] }: CrdVersion,
  schema: JsonSchema,
  base: string,
): readonly FieldError[] {
  return selectableFields.flatMap(({ jsonPath }, i) => {
    const field = `${base}.selectableFields[${i}].jsonPath`;
    const found = jsonPath
      .split('.')
      .slice(1)
      .reduce<JsonSchema | undefined>((node, name) => node?.properties?.[name], schema);
    if (found === undefined) {
      return [invalidField(field, jsonPath, 'is an invalid path: does not refer to a valid field')];
    }
    const leaf = ['string', 'boolean', 'integer'].includes(found.type ?? '');
    return leaf ? [] : [invalidField(field, jsonPath, 'must point to a field of type boolean, integer or string')];
  });
}

/** A version as Go prints its internal form. */
function showVersion({ name, served, storage, deprecated = false, deprecationWarning }: CrdVersion): object {
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
