import type { SchemaNode } from '../node/index.ts';
import { compileDefaults } from './defaults.ts';
import { checkEmbeddedResources } from './embedded-resource.ts';
import type { FieldProblem } from './field-problem.ts';
import type { JsonSchema } from './json-schema.ts';
import { compileListTypes } from './list-type.ts';
import { type Pruned, prune } from './prune.ts';
import { schemaNodeOf } from './schema-node-of.ts';
import { type CompilePattern, compileValidator, type Findings } from './validator.ts';

/** Parts that a schema is compiled with. */
export interface StructuralSchemaOptions {
  /** RE2 semantics, from `../pattern`. */
  readonly compilePattern: CompilePattern;
  /** The type of `ObjectMeta`, from the built-in table, for patches and server-side apply. */
  readonly objectMeta?: SchemaNode | undefined;
}

/**
 * A CRD version's schema, compiled once and used for every write. Immutable; all methods are pure and may share their
 * input with their result.
 *
 * The order of a write, as upstream has it: {@link prune} (reporting unknown fields), {@link applyDefaults},
 * admission, {@link applyDefaults} again, {@link validate}, then CEL rules if there was no problem.
 */
export interface StructuralSchema {
  /** The schema as written in the CRD. */
  readonly source: JsonSchema;
  /** The same as the seam type that decoding, patches and server-side apply read. */
  readonly node: SchemaNode;
  /** Drops undeclared fields of a whole object and names them. */
  prune(object: unknown): Pruned;
  /** Fills absent fields and settles nulls of a whole object. */
  applyDefaults(object: unknown): unknown;
  /**
   * All problems of a whole object; with `old` those in unchanged parts are dropped (ratcheting, KEP-4008). Does not look
   * at the object's own metadata, which is the same for all kinds, nor at CEL rules.
   */
  validate(object: unknown, options?: { readonly old?: unknown }): readonly FieldProblem[];
}

/**
 * Compiles a schema that {@link checkStructural} accepted.
 *
 * @throws what `compilePattern` throws when a `pattern` is no regular expression.
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
      // An object that was already wrong may stay wrong in this one respect.
      if (listTypes !== undefined && (old === undefined || duplicates(old).length === 0)) {
        at.problems.push(...duplicates(object));
      }
      return at.problems;
    },
  };
}
