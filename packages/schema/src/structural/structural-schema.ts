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
  /** The schema of `ObjectMeta`, for patches and server-side apply. */
  readonly objectMeta?: SchemaNode | undefined;
}

/**
 * The compiled schema of a CRD version. Immutable. All methods are pure; results may share parts with the input.
 *
 * Order of steps in a write, as in upstream: {@link prune} (reporting unknown fields), {@link applyDefaults},
 * admission, {@link applyDefaults} again, {@link validate}, then CEL rules if there was no problem.
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
  /** The schema in the form that decoding, patches and server-side apply use. */
  readonly node: SchemaNode;
  /** Drops and reports the undeclared fields of a whole object. */
  prune(object: unknown): Pruned;
  /** Applies defaults to a whole object, and replaces or drops nulls that are not allowed. */
  applyDefaults(object: unknown): unknown;
  /**
   * Returns all problems of a whole object. If `old` is given, ignores problems in unchanged parts (ratcheting, KEP-4008).
   * Does not check CEL rules or the object's own metadata, whose check is the same for all kinds.
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
      // Ratcheting: duplicates are allowed if the old object has duplicates too.
      if (listTypes !== undefined && (old === undefined || duplicates(old).length === 0)) {
        at.problems.push(...duplicates(object));
      }
      return at.problems;
    },
  };
}
