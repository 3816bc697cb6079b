import { sameJson } from '@kubewright/apimachinery/internal';
import { type FieldProblem, forbidden, invalid, problemText, required } from './field-problem.ts';
import { additionalOf, itemsOf, type JsonSchema } from './json-schema.ts';
import type { CompilePattern } from './validator/strings.ts';

type Level = 'root' | 'item' | 'field';

const intOrString: readonly JsonSchema[] = [{ type: 'integer' }, { type: 'string' }];
const emptyType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/**
 * Checks that a schema is structural (apiextensions 1.36, `schema/validation.go`): every value has a type; `allOf`,
 * `anyOf`, `oneOf` and `not` contain only validations, and only for fields that are declared outside of them;
 * `metadata` restricts only `name` and `generateName`. Problems are sorted by message, as in upstream's response.
 */
export function checkStructuralInvariants(
  schema: JsonSchema,
  { path, compilePattern }: { readonly path: string; readonly compilePattern: CompilePattern },
): FieldProblem[] {
  const check = new InvariantCheck(compilePattern);
  check.structure(schema, 'root', path);
  check.completeness(schema, schema, { schemaPath: path, checkPath: path });
  return check.problems.sort((a, b) => (problemText(a) < problemText(b) ? -1 : 1));
}

class InvariantCheck {
  readonly problems: FieldProblem[] = [];
  private readonly compilePattern: CompilePattern;

  constructor(compilePattern: CompilePattern) {
    this.compilePattern = compilePattern;
  }

  structure(schema: JsonSchema, level: Level, path: string): void {
    const items = itemsOf(schema);
    if (schema.type === 'array' && items === undefined) {
      this.problems.push(required(`${path}.items`, 'must be specified'));
    }
    if (items !== undefined) this.structure(items, 'item', `${path}.items`);
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      this.structure(property, 'field', `${path}.properties[${name}]`);
    }
    if (schema.additionalProperties !== undefined) {
      if (level === 'root')
        this.problems.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
      const additional = additionalOf(schema);
      if (additional !== undefined) this.structure(additional, 'field', `${path}.additionalProperties`);
    }
    this.extensions(schema, path);
    this.valueChecks(schema, path, {
      skipAnyOf: sameJson(schema.anyOf, intOrString),
      skipFirstAllOf: sameJson(schema.allOf?.[0]?.anyOf, intOrString),
    });
    this.type(schema, level, path);
    this.metadata(schema, level, path);
  }

  private extensions(schema: JsonSchema, path: string): void {
    if (schema['x-kubernetes-int-or-string'] !== true) return;
    for (const name of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const) {
      if (schema[name] === true) {
        this.problems.push(invalid(`${path}.${name}`, true, 'must be false if x-kubernetes-int-or-string is true'));
      }
    }
  }

  private type(schema: JsonSchema, level: Level, path: string): void {
    const type = schema.type ?? '';
    const embedded = schema['x-kubernetes-embedded-resource'] === true;
    const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
    if (embedded && type !== 'object') {
      const detail = 'must be object if x-kubernetes-embedded-resource is true';
      this.problems.push(type === '' ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail));
    } else if (type === '' && schema['x-kubernetes-int-or-string'] !== true && !preserves) {
      this.problems.push(required(`${path}.type`, emptyType[level]));
    }
    if (embedded && schema.additionalProperties !== undefined) {
      const detail = 'must not be used if x-kubernetes-embedded-resource is set';
      this.problems.push(forbidden(`${path}.additionalProperties`, detail));
    }
    if (level === 'root' && type !== '' && type !== 'object') {
      this.problems.push(invalid(`${path}.type`, type, 'must be object at the root'));
    }
    if (embedded && !preserves && Object.keys(schema.properties ?? {}).length === 0) {
      const detail =
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
      this.problems.push(required(`${path}.properties`, detail));
    }
  }

  private metadata(schema: JsonSchema, level: Level, path: string): void {
    const isResource = level === 'root' || schema['x-kubernetes-embedded-resource'] === true;
    if (!isResource) return;
    for (const name of ['kind', 'apiVersion']) {
      const property = schema.properties?.[name];
      if (property !== undefined && property.type !== 'string') {
        this.problems.push(invalid(`${path}.properties[${name}].type`, property.type ?? '', 'must be string'));
      }
    }
    const metadata = schema.properties?.['metadata'];
    if (metadata === undefined) return;
    const metadataPath = `${path}.properties[metadata]`;
    if (metadata.type !== 'object') {
      this.problems.push(invalid(`${metadataPath}.type`, metadata.type ?? '', 'must be object'));
    }
    if (level === 'root' && !isPlainMetadata(metadata)) {
      const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
      this.problems.push(forbidden(metadataPath, detail));
    }
  }

  private valueChecks(
    schema: JsonSchema,
    path: string,
    skip: { readonly skipAnyOf: boolean; readonly skipFirstAllOf: boolean },
  ): void {
    if (!skip.skipAnyOf)
      (schema.anyOf ?? []).forEach((s, i) => {
        this.nested(s, `${path}.anyOf[${i}]`, false);
      });
    (schema.allOf ?? []).forEach((s, i) => {
      this.nested(s, `${path}.allOf[${i}]`, skip.skipFirstAllOf && i === 0);
    });
    (schema.oneOf ?? []).forEach((s, i) => {
      this.nested(s, `${path}.oneOf[${i}]`, false);
    });
    if (schema.not !== undefined) this.nested(schema.not, `${path}.not`, false);
    if (schema.pattern === undefined || schema.pattern === '') return;
    try {
      this.compilePattern(schema.pattern);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const detail = `must be a valid regular expression, but isn't: ${why}`;
      this.problems.push(invalid(`${path}.pattern`, schema.pattern, detail));
    }
  }

  private nested(schema: JsonSchema, path: string, skipAnyOf: boolean): void {
    this.valueChecks(schema, path, { skipAnyOf, skipFirstAllOf: false });
    const items = itemsOf(schema);
    if (items !== undefined) this.nested(items, `${path}.items`, false);
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      this.nested(property, `${path}.properties[${name}]`, false);
    }
    for (const [name, isSet, detail] of forbiddenWhenNested) {
      if (isSet(schema)) this.problems.push(forbidden(`${path}.${name}`, `${detail} to be structural`));
    }
    if (schema.properties !== undefined && Object.hasOwn(schema.properties, 'metadata')) {
      this.problems.push(forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
    }
  }

  completeness(
    checks: JsonSchema,
    schema: JsonSchema | undefined,
    { schemaPath, checkPath }: { readonly schemaPath: string; readonly checkPath: string },
  ): void {
    if (schema === undefined) {
      this.problems.push(required(schemaPath, `because it is defined in ${checkPath}`));
      return;
    }
    const visit = (nested: JsonSchema, path: string): void => this.nestedCompleteness(nested, schema, schemaPath, path);
    if (checks.not !== undefined) visit(checks.not, `${checkPath}.not`);
    (checks.allOf ?? []).forEach((s, i) => {
      visit(s, `${checkPath}.allOf[${i}]`);
    });
    (checks.anyOf ?? []).forEach((s, i) => {
      visit(s, `${checkPath}.anyOf[${i}]`);
    });
    (checks.oneOf ?? []).forEach((s, i) => {
      visit(s, `${checkPath}.oneOf[${i}]`);
    });
  }

  private nestedCompleteness(checks: JsonSchema, schema: JsonSchema, schemaPath: string, checkPath: string): void {
    this.completeness(checks, schema, { schemaPath, checkPath });
    const below = (nested: JsonSchema, declared: JsonSchema | undefined, step: string): void => {
      if (declared === undefined) {
        this.problems.push(required(`${schemaPath}.${step}`, `because it is defined in ${checkPath}.${step}`));
      } else {
        this.nestedCompleteness(nested, declared, `${schemaPath}.${step}`, `${checkPath}.${step}`);
      }
    };
    const items = itemsOf(checks);
    if (items !== undefined) below(items, itemsOf(schema), 'items');
    for (const [name, property] of Object.entries(checks.properties ?? {})) {
      const declared = schema.properties;
      below(
        property,
        declared !== undefined && Object.hasOwn(declared, name) ? declared[name] : undefined,
        `properties[${name}]`,
      );
    }
  }
}

const forbiddenWhenNested: readonly (readonly [string, (schema: JsonSchema) => boolean, string])[] = [
  ['type', (s) => (s.type ?? '') !== '', 'must be empty'],
  ['additionalProperties', (s) => s.additionalProperties !== undefined, 'must be undefined'],
  ['default', (s) => s.default !== undefined && s.default !== null, 'must be undefined'],
  ['title', (s) => (s.title ?? '') !== '', 'must be empty'],
  ['description', (s) => (s.description ?? '') !== '', 'must be empty'],
  ['nullable', (s) => s.nullable === true, 'must be false'],
  ['x-kubernetes-preserve-unknown-fields', (s) => s['x-kubernetes-preserve-unknown-fields'] === true, 'must be false'],
  ['x-kubernetes-embedded-resource', (s) => s['x-kubernetes-embedded-resource'] === true, 'must be false'],
  ['x-kubernetes-int-or-string', (s) => s['x-kubernetes-int-or-string'] === true, 'must be false'],
  ['x-kubernetes-list-map-keys', (s) => (s['x-kubernetes-list-map-keys'] ?? []).length > 0, 'must be empty'],
  ['x-kubernetes-list-type', (s) => s['x-kubernetes-list-type'] !== undefined, 'must be undefined'],
  ['x-kubernetes-map-type', (s) => s['x-kubernetes-map-type'] !== undefined, 'must be undefined'],
  ['x-kubernetes-validations', (s) => (s['x-kubernetes-validations'] ?? []).length > 0, 'must be empty'],
];

/** True if a schema of `metadata` only sets `type: object` and constraints on `name` and `generateName`. */
function isPlainMetadata(schema: JsonSchema): boolean {
  const names = Object.keys(schema.properties ?? {});
  if (names.some((name) => name !== 'name' && name !== 'generateName')) return false;
  return Object.entries(schema).every(
    ([key, value]) => key === 'type' || key === 'properties' || key === 'default' || value === undefined,
  );
}
