import type { SchemaNode } from '../../node/schema-node.ts';
import type { UnboundedField } from '../cost/sized-type.ts';

/** One entry of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string | undefined;
  readonly messageExpression?: string | undefined;
  /** `FieldValueInvalid` (the default), `FieldValueForbidden`, `FieldValueRequired` or `FieldValueDuplicate`. */
  readonly reason?: string | undefined;
  readonly fieldPath?: string | undefined;
  readonly optionalOldSelf?: boolean | undefined;
}

/** A step down a schema: a property, the elements of a list, or the values of a map. */
export type SchemaStep = { readonly property: string } | 'items' | 'values';

/** The rules of one node of a schema. */
export interface RulesAt {
  /** Path from the root to the node. */
  readonly path: readonly SchemaStep[];
  readonly rules: readonly ValidationRule[];
  /**
   * True if the rules are in an `allOf` of the node: they run after the node's own rules, and the node's own previous state
   * does not ratchet them.
   */
  readonly allOf?: boolean | undefined;
}

/** One fault of one field, in the form of a `StatusCause`. */
export interface RuleProblem {
  readonly reason: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  readonly message: string;
  readonly field: string;
  /** Missing limits in the schema that would make a rule cheaper; only for rules that are too costly. */
  readonly unlimited?: readonly UnboundedField[];
}

/** Returns the schema below a step. */
export function childSchema(schema: SchemaNode, step: SchemaStep): SchemaNode | undefined {
  if (step === 'items') return schema.items;
  if (step === 'values') return schema.additionalProperties;
  return schema.properties?.get(step.property);
}
