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

/** The rules at one node of a schema. */
export interface RulesAt {
  /** Path from the root to the node. */
  readonly path: readonly SchemaStep[];
  readonly rules: readonly ValidationRule[];
  /**
   * True if the rules come from an `allOf` of the node. Such rules run after the node's own rules, and are ratcheted by
   * the node's nearest correlated ancestor, not by the node's old value.
   */
  readonly allOf?: boolean | undefined;
}

/** A problem with one field, in the form of a `StatusCause`. */
export interface RuleProblem {
  readonly reason: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  readonly message: string;
  readonly field: string;
  /** Fields that need a size limit to make the rule cheaper; set for rules that are too costly. */
  readonly unlimited?: readonly UnboundedField[];
}

/** Returns the schema of a property, list element or map value. */
export function childSchema(schema: SchemaNode, step: SchemaStep): SchemaNode | undefined {
  if (step === 'items') return schema.items;
  if (step === 'values') return schema.additionalProperties;
  return schema.properties?.get(step.property);
}
