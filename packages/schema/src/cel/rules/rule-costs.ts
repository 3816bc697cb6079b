import { additionalOf, itemsOf, type JsonSchema } from '../../structural/json-schema.ts';
import { estimateCost } from '../cost/cost-estimator.ts';
import { maxRequestBytes, type SizedType, sizedChild, sizedTypeOf, type UnboundedField } from '../cost/sized-type.ts';
import { capped } from '../cost/span.ts';
import type { CelProgram } from '../program.ts';
import type { CompiledRule } from './compile-rule.ts';
import type { RuleProblem, RulesAt, SchemaStep } from './rule.ts';

const ruleBudget = 10_000_000;
const schemaBudget = 100_000_000;
/** Maximum number of rules to report if the total cost is too high. */
const maxReportedRules = 4;

/** Options for cost estimates. */
export interface RuleCostOptions {
  /** The CRD's schema, whose limits (`maxItems`, `maxLength`, …) bound the sizes of values. */
  readonly schema: JsonSchema;
  /**
   * True if the schema has been accepted before: limits only the total cost, not the cost of each rule.
   * @defaultValue false
   */
  readonly unchanged?: boolean;
}

interface Expense {
  readonly field: string;
  readonly cost: number;
  readonly unlimited: readonly UnboundedField[];
}

/** Adds up the estimated costs of a schema's rules, as the API server does when the CRD is created. */
export class RuleCosts {
  readonly #options: RuleCostOptions;
  readonly #schemaPath: string;
  /** Created for the first rule, because most schemas have no rules. */
  #sizes: { readonly root: SizedType | undefined } | undefined;
  readonly #tooCostly: RuleProblem[] = [];
  #total = 0;
  #highest: readonly Expense[] = [];

  constructor(options: RuleCostOptions, schemaPath: string) {
    this.#options = options;
    this.#schemaPath = schemaPath;
  }

  /** Problems that require rejecting the CRD. */
  get problems(): readonly RuleProblem[] {
    if (this.#total <= schemaBudget) return this.#tooCostly;
    const contributed = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    const unlimited = this.#highest.flatMap((expense) => expense.unlimited);
    const total = { field: this.#schemaPath, cost: this.#total, unlimited };
    return [
      ...this.#tooCostly,
      ...this.#highest.map((expense) => forbidden(expense, contributed)),
      forbidden(total, exceeds(what, this.#total / schemaBudget)),
    ];
  }

  /** Adds the cost of a rule. As in upstream, rules in `allOf` are free. */
  add({ program, messageProgram }: CompiledRule, at: RulesAt, place: string): void {
    const node = this.#placeOf(at);
    if (node === undefined || at.allOf === true) return;
    const { type, times, unlimited } = node;
    const rule = estimate(program, type);
    const cost = capped(rule.cost * times);
    const expense = { field: `${place}.rule`, cost, unlimited: [...unlimited, ...rule.unlimited] };
    this.#take(expense, 'estimated rule cost');
    if (messageProgram === undefined) return;
    const message = estimate(messageProgram, type);
    this.#take({ field: `${place}.messageExpression`, ...message }, 'estimated messageExpression cost');
  }

  #take(expense: Expense, what: string): void {
    const { cost } = expense;
    this.#total = capped(this.#total + cost);
    if (cost > ruleBudget && this.#options.unchanged !== true) {
      this.#tooCostly.push(forbidden(expense, exceeds(what, cost / ruleBudget)));
    }
    if (cost < schemaBudget / 100) return;
    this.#highest = [...this.#highest, expense].sort((a, b) => b.cost - a.cost).slice(0, maxReportedRules);
  }

  /** Returns the sizes of the values that the rules validate, and how many such values one object can contain. */
  #placeOf(
    at: RulesAt,
  ): { readonly type: SizedType; readonly times: number; readonly unlimited: readonly UnboundedField[] } | undefined {
    this.#sizes ??= { root: sizedTypeOf(this.#options.schema) };
    let type = this.#sizes.root;
    let schema: JsonSchema | undefined = this.#options.schema;
    let times: number | undefined = 1;
    const unlimited: UnboundedField[] = [];
    for (const step of at.path) {
      if (type === undefined || schema === undefined) return undefined;
      const max = maxChildren(schema);
      if (max === undefined && type.unlimited !== undefined) unlimited.push(type.unlimited);
      times = times === undefined || max === undefined ? undefined : capped(times * max);
      type = sizedChild(type, step);
      schema = childOf(schema, step);
    }
    if (type === undefined) return undefined;
    return { type, times: times ?? Math.floor(maxRequestBytes / (type.minBytes + 1)), unlimited };
  }
}

function estimate(program: CelProgram, type: SizedType): Pick<Expense, 'cost' | 'unlimited'> {
  if (program.checked === undefined) return { cost: 0, unlimited: [] };
  const { max, unlimited } = estimateCost(program.checked, type);
  return { cost: max, unlimited };
}

/** Returns the maximum number of a list's elements or a map's values; undefined if the schema does not limit it. */
function maxChildren(schema: JsonSchema): number | undefined {
  const isMap = schema.type === 'object' && schema.additionalProperties !== undefined;
  if (schema.type !== 'array' && !isMap) return 1;
  const max = isMap ? schema.maxProperties : schema.maxItems;
  return max === undefined ? undefined : Math.max(max, 0);
}

function childOf(schema: JsonSchema, step: SchemaStep): JsonSchema | undefined {
  if (step === 'items') return itemsOf(schema);
  return step === 'values' ? additionalOf(schema) : schema.properties?.[step.property];
}

function forbidden({ field, unlimited }: Expense, detail: string): RuleProblem {
  const distinct = [...new Map(unlimited.map((limit) => [limit.path, limit])).values()];
  distinct.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${detail}`, unlimited: distinct };
}

function exceeds(what: string, factor: number): string {
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${oneDigit(factor)}x`;
  return `${what} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** Formats a number with one decimal. Ties round to even, as in Go. */
function oneDigit(value: number): string {
  const isMiddle = Number.isInteger(value * 4) && !Number.isInteger(value * 2);
  const tenths = Math.floor(value * 10);
  return isMiddle ? ((tenths + (tenths % 2)) / 10).toFixed(1) : value.toFixed(1);
}
