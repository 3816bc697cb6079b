import type { JsonSchema } from '../../structural/index.ts';
import { additionalOf, itemsOf } from '../../structural/json-schema.ts';
import { estimateCost } from '../cost/cost-estimator.ts';
import { MAX_REQUEST_BYTES, type SizedType, sizedChild, sizedTypeOf, type Unlimited } from '../cost/sized-type.ts';
import { capped } from '../cost/span.ts';
import type { CelProgram } from '../program.ts';
import type { CompiledRule } from './compile-rule.ts';
import type { RuleProblem, RulesAt, SchemaStep } from './rule.ts';

const RULE_BUDGET = 10_000_000;
const SCHEMA_BUDGET = 100_000_000;
/** So many rules are named when all of them together are too costly. */
const MAX_NAMED = 4;

/** What costs are estimated from. */
export interface RuleCostOptions {
  /** The CRD's schema: its limits say how large values can be. */
  readonly schema: JsonSchema;
  /** The schema was accepted before: no single rule is refused, only all of them together. @defaultValue false */
  readonly unchanged?: boolean;
}

interface Expense {
  readonly field: string;
  readonly cost: number;
  readonly unlimited: readonly Unlimited[];
}

/** Adds up what the rules of one schema cost at most, as the API server does when the CRD is created. */
export class RuleCosts {
  readonly #options: RuleCostOptions;
  readonly #schemaPath: string;
  /** Made when the first rule comes: most schemas have none. */
  #sizes: { readonly root: SizedType | undefined } | undefined;
  readonly #tooCostly: RuleProblem[] = [];
  #total = 0;
  #highest: readonly Expense[] = [];

  constructor(options: RuleCostOptions, schemaPath: string) {
    this.#options = options;
    this.#schemaPath = schemaPath;
  }

  /** Reasons to refuse the CRD. */
  get problems(): readonly RuleProblem[] {
    if (this.#total <= SCHEMA_BUDGET) return this.#tooCostly;
    const contributed = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    const unlimited = this.#highest.flatMap((expense) => expense.unlimited);
    const total = { field: this.#schemaPath, cost: this.#total, unlimited };
    return [
      ...this.#tooCostly,
      ...this.#highest.map((expense) => forbidden(expense, contributed)),
      forbidden(total, exceeds(what, this.#total / SCHEMA_BUDGET)),
    ];
  }

  /** Takes in a rule. Those in `allOf` cost nothing, as upstream has it. */
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
    if (cost > RULE_BUDGET && this.#options.unchanged !== true) {
      this.#tooCostly.push(forbidden(expense, exceeds(what, cost / RULE_BUDGET)));
    }
    if (cost < SCHEMA_BUDGET / 100) return;
    this.#highest = [...this.#highest, expense].sort((a, b) => b.cost - a.cost).slice(0, MAX_NAMED);
  }

  /** The type that the rules are about, and how often it can be in one object. */
  #placeOf(
    at: RulesAt,
  ): { readonly type: SizedType; readonly times: number; readonly unlimited: readonly Unlimited[] } | undefined {
    this.#sizes ??= { root: sizedTypeOf(this.#options.schema) };
    let type = this.#sizes.root;
    let schema: JsonSchema | undefined = this.#options.schema;
    let times: number | undefined = 1;
    const unlimited: Unlimited[] = [];
    for (const step of at.path) {
      if (type === undefined || schema === undefined) return undefined;
      const most = mostChildren(schema);
      if (most === undefined && type.unlimited !== undefined) unlimited.push(type.unlimited);
      times = times === undefined || most === undefined ? undefined : capped(times * most);
      type = sizedChild(type, step);
      schema = childOf(schema, step);
    }
    if (type === undefined) return undefined;
    return { type, times: times ?? Math.floor(MAX_REQUEST_BYTES / (type.minBytes + 1)), unlimited };
  }
}

function estimate(program: CelProgram, type: SizedType): Pick<Expense, 'cost' | 'unlimited'> {
  if (program.checked === undefined) return { cost: 0, unlimited: [] };
  const { max, unlimited } = estimateCost(program.checked, type);
  return { cost: max, unlimited };
}

/** How many of its children a value has at most; undefined if the schema does not say. */
function mostChildren(schema: JsonSchema): number | undefined {
  const isMap = schema.type === 'object' && schema.additionalProperties !== undefined;
  if (schema.type !== 'array' && !isMap) return 1;
  const most = isMap ? schema.maxProperties : schema.maxItems;
  return most === undefined ? undefined : Math.max(most, 0);
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

/** As Go rounds: what lies in the middle goes to the even digit. */
function oneDigit(value: number): string {
  const isMiddle = Number.isInteger(value * 4) && !Number.isInteger(value * 2);
  const tenths = Math.floor(value * 10);
  return isMiddle ? ((tenths + (tenths % 2)) / 10).toFixed(1) : value.toFixed(1);
}
