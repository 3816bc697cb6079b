import type { SchemaNode } from '../node/schema-node.ts';
import { compileDefaults } from './defaults.ts';
import { checkEmbeddedResources } from './embedded-resource.ts';
import type { FieldProblem } from './field-problem.ts';
import type { JsonSchema } from './json-schema.ts';
import { compileListTypes } from './list-type.ts';
import { type Pruned, prune } from './prune.ts';
import { schemaNodeOf } from './schema-node-of.ts';
import type { Findings } from './validator/findings.ts';
import type { CompilePattern } from './validator/strings.ts';
import { compileValidator } from './validator/validator.ts';

/** Options for {@link compileStructuralSchema}. */
export interface StructuralSchemaOptions {
  /** RE2 semantics, from `../pattern`. */
  readonly compilePattern: CompilePattern;
  /** The type of `ObjectMeta`, from the built-in table, for patches and server-side apply. */
  readonly objectMeta?: SchemaNode | undefined;
}

/**
 * A CRD version's schema, compiled once and used for every write. Immutable; all methods are pure, and results may share
 * parts with their input.
 *
 * The order of a write, as in upstream: {@link prune} (reporting unknown fields), {@link applyDefaults}, admission,
 * {@link applyDefaults} again, {@link validate}, then CEL rules if there was no problem.
 *
 * @example
 * ```ts
 * function checkUpdate(schema: StructuralSchema, object: unknown, old: unknown): readonly string[] {
 *   return schema.validate(schema.applyDefaults(object), { old }).map(problemText);
 * }
 * ```
 */
export interface StructuralSchema {
  /** The schema as written in the CRD. */
  readonly source: JsonSchema;
  /** The same schema as the node type that decoding, patches and server-side apply use. */
  readonly node: SchemaNode;
  /** Drops undeclared fields of a whole object and reports them. */
  prune(object: unknown): Pruned;
  /** Fills absent fields of a whole object and resolves its nulls. */
  applyDefaults(object: unknown): unknown;
  /**
   * Returns all problems of a whole object; with `old`, problems in unchanged parts are dropped (ratcheting, KEP-4008). Does
   * not check the object's own metadata, which is the same for all kinds, or CEL rules.
   */
  validate(object: unknown, options?: { readonly old?: unknown }): readonly FieldProblem[];
}

/**
 * Compiles a schema that {@link checkStructural} accepted.
 *
 * @throws the error of `compilePattern` if a `pattern` is not a regular expression.
 *
 * @example
 * ```ts
 * const patterns = new PatternCache();
 * const schema = compileStructuralSchema(
 *   { type: 'object', properties: { replicas: { type: 'integer', default: 1 } } },
 *   { compilePattern: (source) => patterns.get(source) },
 * );
 * const problems = schema.validate(schema.applyDefaults({}));
 * ```
 */
export function compileStructuralSchema(source: JsonSchema, options: StructuralSchemaOptions): StructuralSchema {
  const validator = compileValidator(source, options.compilePattern);
  const fill = compileDefaults(source);
  const listTypes = compileListTypes(source);
  const embedded = checkEmbeddedResources(source);
  const duplicates = (object: unknown): FieldProblem[] => {
    const problems: FieldProblem[] = [];
    listTypes?.(object, '', problems);
    return problems;
  };
  return {
    source,
    node: schemaNodeOf(source, { objectMeta: options.objectMeta }),
    prune: (object) => prune(source, object, { isResourceRoot: true }),
    applyDefaults: fill,
    validate(object, { old } = {}) {
      const at: Findings = { problems: [], matches: 0 };
      validator(object, '', at, old);
      embedded?.(object, '', at.problems);
      // An object that already has duplicates may keep them.
      if (listTypes !== undefined && (old === undefined || duplicates(old).length === 0)) {
        at.problems.push(...duplicates(object));
      }
      return at.problems;
    },
  };
}
