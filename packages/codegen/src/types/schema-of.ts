import type { JsonSchema } from '@kubewright/schema';
import type { FieldModel, TypeModel } from '../compiler/type-model.ts';
import type { Position, Problems } from '../problem.ts';
import { applyDocs } from '../tags/apply-tags.ts';
import { celName } from '../tags/cel-name.ts';
import { builtinJsonSchema, EndlessTypeError } from './builtin-json-schema.ts';
import { addRules, type Draft } from './draft.ts';
import { intOrString } from './known-schemas.ts';

/** The inputs and outputs of building a schema. */
export interface SchemaContext {
  readonly problems: Problems;
  /** Path from the object's root, for messages: `spec.users[].name`. */
  readonly path: string;
  /** Path in the schema: `.properties[spec].properties[users].items`. */
  readonly schemaPath: string;
  /** Receives the source position of each part of the schema. */
  readonly positions: Map<string, Position>;
}

/** Builds the structural schema of a type. Reports problems with its tags. */
export function schemaOf(model: TypeModel, context: SchemaContext): JsonSchema {
  const maker = new SchemaMaker(context.problems, context.positions);
  const schema = maker.make(model, context);
  maker.reportOpenNumbers();
  return schema;
}

type Way = Pick<SchemaContext, 'path' | 'schemaPath'>;

class SchemaMaker {
  readonly #problems: Problems;
  readonly #positions: Map<string, Position>;
  readonly #immutable = new Set<Draft>();
  readonly #numberKinds = new Set<Draft>();
  /**
   * All numbers. Those without a type are reported at the end, because comments on enclosing values can specify the
   * type: `@items.int32`.
   */
  readonly #numbers: { readonly draft: Draft; readonly model: TypeModel; readonly way: Way }[] = [];

  constructor(problems: Problems, positions: Map<string, Position>) {
    this.#problems = problems;
    this.#positions = positions;
  }

  make(model: TypeModel, way: Way): Draft {
    this.#positions.set(way.schemaPath, model.at);
    const draft = this.#plain(model, way);
    if (model.type === 'number') this.#numbers.push({ draft, model, way });
    if (model.nullable === true) draft.nullable = true;
    for (const docs of model.docs) {
      applyDocs(draft, docs, {
        problems: this.#problems,
        path: way.path,
        immutable: (each) => this.#immutable.add(each),
        numberKind: (each) => this.#numberKinds.add(each),
        ruleAt: (place, at) => this.#positions.set(`${way.schemaPath}${place}`, at),
      });
    }
    // The API server checks null against the enum, too.
    if (model.nullable === true && draft.enum !== undefined) draft.enum = [...new Set([...draft.enum, null])];
    return draft;
  }

  #plain(model: TypeModel, way: Way): Draft {
    switch (model.type) {
      case 'string':
      case 'number':
      case 'boolean':
        return { type: model.type };
      case 'int64':
        return { type: 'integer', format: 'int64' };
      case 'intOrString':
        return { ...intOrString };
      case 'unknown':
      case 'broken':
        return { 'x-kubernetes-preserve-unknown-fields': true };
      case 'embeddedResource':
        return {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        };
      case 'literals':
        return { type: typeOfLiterals(model.values), enum: [...model.values] };
      case 'array':
        return { type: 'array', items: this.make(model.items, below(way, '[]', '.items')) };
      case 'map':
        return {
          type: 'object',
          additionalProperties: this.make(model.values, below(way, '{}', '.additionalProperties')),
        };
      case 'object':
        return this.#object(model.fields, way);
      case 'builtin':
        return this.#builtin(model, way);
    }
  }

  #object(fields: readonly FieldModel[], way: Way): Draft {
    const object: Draft = { type: 'object' };
    const properties = new Map<string, Draft>();
    for (const { name, type } of fields) {
      const path = way.path === '' ? name : `${way.path}.${name}`;
      properties.set(name, this.make(type, { path, schemaPath: `${way.schemaPath}.properties[${name}]` }));
    }
    if (properties.size > 0) object.properties = Object.fromEntries(properties);
    const required = fields.filter(({ optional }) => !optional).map(({ name }) => name);
    if (required.length > 0) object.required = required.sort();
    for (const { name, optional } of fields) {
      if (optional && this.#immutable.has(properties.get(name) as Draft)) keepOnceSet(object, name); // set above
    }
    return object;
  }

  #builtin(model: Extract<TypeModel, { type: 'builtin' }>, way: Way): Draft {
    try {
      return structuredClone(builtinJsonSchema(model.definition, model.field)) as Draft;
    } catch (error) {
      if (!(error instanceof EndlessTypeError)) throw error;
      const name = model.definition.split('.').at(-1);
      this.#problems.add(model.at, {
        code: 'KW6103',
        path: way.path,
        what: `the type ${name} contains itself`,
        why: 'a structural schema cannot contain references, so the schema would be infinite',
        fix: 'use unknown with the tag @preserveUnknownFields',
      });
      return { 'x-kubernetes-preserve-unknown-fields': true };
    }
  }

  /** Reports numbers without an explicit type, after all enclosing comments have been read. */
  reportOpenNumbers(): void {
    for (const { draft, model, way } of this.#numbers) {
      if (this.#numberKinds.has(draft) || draft.type !== 'number') continue;
      this.#problems.add(model.at, {
        code: 'KW6101',
        ...(way.path !== '' && { path: way.path }),
        what: 'the type number does not distinguish integers from floating-point numbers',
        why: 'Kubernetes validates the two differently, and advises against floating-point numbers',
        fix: 'add the tag @int32 or @int64 (integers), or @float (floating-point)',
      });
    }
  }
}

/** Adds the rule that an immutable field cannot be removed from its object once set. */
function keepOnceSet(object: Draft, name: string): void {
  const field = celName(name);
  addRules(object, {
    rule: `!has(oldSelf.${field}) || has(self.${field})`,
    message: `field ${name} is immutable once set`,
  });
}

function below(way: Way, mark: string, step: string): Way {
  return { path: `${way.path}${mark}`, schemaPath: `${way.schemaPath}${step}` };
}

function typeOfLiterals(values: readonly (string | number | boolean)[]): string {
  const [first] = values;
  if (typeof first !== 'number') return typeof first;
  return values.every((value) => Number.isInteger(value)) ? 'integer' : 'number';
}
