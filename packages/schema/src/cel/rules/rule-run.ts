import { CelBudgetError, CelEvaluationError } from '../errors.ts';
import { type Budget, defaultBudget } from '../program.ts';
import { CelOptional } from '../values/optional.ts';
import type { CelValue } from '../values/value.ts';
import type { CompiledRule } from './compile-rule.ts';
import { elementLookup, isRatcheted, member, type Ratchet, ratchetElement, ratchetMember } from './correlation.ts';
import type { RuleProblem, ValidationRule } from './rule.ts';
import { invalid, quoteType, ruleText, violation } from './rule-messages.ts';
import type { RuleNode } from './rule-tree.ts';

const maxMessageBytes = 5 * 1024;

/** A value to validate and its location. */
interface Place {
  readonly value: unknown;
  readonly old: unknown;
  readonly path: string;
  readonly ratchet: Ratchet;
}

/** Runs a schema's rules on one object. */
export class RuleRun {
  readonly problems: RuleProblem[] = [];
  readonly #budget: Budget;
  readonly #onWarning: ((problem: RuleProblem) => void) | undefined;
  #stopped = false;

  constructor(budget: Budget, onWarning: ((problem: RuleProblem) => void) | undefined) {
    this.#budget = budget;
    this.#onWarning = onWarning;
  }

  visit(node: RuleNode, place: Place): void {
    if (this.#stopped || place.value === null || place.value === undefined) return;
    this.#runAll(node, node.own, place);
    this.#runAll(node, node.allOf, { ...place, ratchet: { current: undefined, ancestor: place.ratchet.ancestor } });
    if (Array.isArray(place.value)) this.#visitElements(node, place.value, place);
    else if (typeof place.value === 'object') this.#visitMembers(node, place.value, place);
  }

  #visitElements(node: RuleNode, list: readonly unknown[], place: Place): void {
    const { items } = node;
    if (items === undefined) return;
    const lookUp = elementLookup(node.decl.schema, place.old);
    for (let i = 0; i < list.length && !this.#stopped; i++) {
      const old = lookUp(list[i]);
      const ratchet = ratchetElement(place.ratchet, list[i], old);
      this.visit(items, { value: list[i], old, path: `${place.path}[${i}]`, ratchet });
    }
  }

  #visitMembers(node: RuleNode, object: object, place: Place): void {
    if (node.values === undefined && node.properties.size === 0) return;
    for (const [property, value] of Object.entries(object)) {
      if (this.#stopped) return;
      const child = node.values ?? node.properties.get(property);
      if (child === undefined) continue;
      const path = node.values === undefined ? join(place.path, property) : `${place.path}[${property}]`;
      const ratchet = ratchetMember(place.ratchet, property);
      this.visit(child, { value, old: member(place.old, property), path, ratchet });
    }
  }

  #runAll(node: RuleNode, rules: readonly CompiledRule[], place: Place): void {
    if (rules.length === 0) return;
    const values = new RuleValues(node, place);
    for (const rule of rules) {
      if (this.#stopped) return;
      this.#run(node, rule, { ...place, values });
    }
  }

  #run(node: RuleNode, compiled: CompiledRule, place: Place & { readonly values: RuleValues }): void {
    const { rule } = compiled;
    if (compiled.usesOldSelf && !place.values.hasOld && rule.optionalOldSelf !== true) return;
    if (this.#budget.remaining <= 0) {
      this.#stop(node, place);
      return;
    }
    const variables = place.values.of(rule);
    let passed: CelValue;
    try {
      passed = this.#spend((budget) => compiled.program.evaluate(variables, budget));
    } catch (error) {
      this.#evaluationProblem(error, { node, rule, place });
      return;
    }
    if (this.#budget.remaining < 0) {
      this.#stop(node, place);
      return;
    }
    if (passed === true) return;
    const message = this.#message(compiled, variables);
    if (this.#stopped) {
      this.problems.push(invalid(place.path, quoteType(node), message));
      return;
    }
    this.#failure(compiled, place, { node, message });
  }

  /** Runs with the per-call budget and deducts the cost from the object's budget. */
  #spend<T>(run: (budget: Budget) => T): T {
    const budget = { remaining: defaultBudget };
    try {
      return run(budget);
    } finally {
      this.#budget.remaining -= defaultBudget - budget.remaining;
    }
  }

  /** Stops this run and exhausts the budget, so that later runs with the same budget stop too. */
  #exceed(): void {
    this.#stopped = true;
    this.#budget.remaining = -1;
  }

  #stop(node: RuleNode, place: Place): void {
    this.#exceed();
    const detail = 'validation failed due to running out of cost budget, no further validation rules will be run';
    this.problems.push(invalid(place.path, quoteType(node), detail));
  }

  #evaluationProblem(
    error: unknown,
    at: { readonly node: RuleNode; readonly rule: ValidationRule; readonly place: Place },
  ): void {
    if (!(error instanceof CelEvaluationError) && !(error instanceof CelBudgetError)) throw error;
    const text = ruleText(at.rule);
    let detail = `${error.message} evaluating rule: ${text}`;
    if (error instanceof CelBudgetError) {
      this.#exceed();
      detail = `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`;
    } else if (error.message.startsWith('no such overload')) {
      detail = `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${text}`;
    }
    this.problems.push(invalid(at.place.path, quoteType(at.node), detail));
  }

  #failure(compiled: CompiledRule, place: Place, failure: { readonly node: RuleNode; readonly message: string }): void {
    const path = compiled.fieldPath === '' ? place.path : join(place.path, compiled.fieldPath);
    const { type } = failure.node.decl.schema;
    const value = type === 'object' || type === 'array' ? undefined : JSON.stringify(place.value);
    const problem = violation(compiled.rule, path, { value, message: failure.message });
    if (!compiled.usesOldSelf && isRatcheted(place.ratchet)) this.#onWarning?.(problem);
    else this.problems.push(problem);
  }

  #message(compiled: CompiledRule, variables: Readonly<Record<string, CelValue | undefined>>): string {
    const { rule, messageProgram } = compiled;
    const fallback = rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`;
    if (messageProgram === undefined) return fallback;
    try {
      const message = this.#spend((budget) => messageProgram.evaluate(variables, budget));
      return usableMessage(message) ?? fallback;
    } catch (error) {
      if (error instanceof CelBudgetError) {
        this.#exceed();
        return `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(rule.messageExpression)}`;
      }
      // Falls back to the static message if the message expression fails.
      if (error instanceof CelEvaluationError) return fallback;
      throw error;
    }
  }
}

/** The values of `self` and `oldSelf` at a location, converted once for all rules at that location. */
class RuleValues {
  readonly #self: CelValue | undefined;
  readonly #old: CelValue | undefined;

  constructor(node: RuleNode, place: Place) {
    this.#self = read(node, place.value);
    this.#old = place.old === undefined || place.old === null ? undefined : read(node, place.old);
  }

  get hasOld(): boolean {
    return this.#old !== undefined;
  }

  of(rule: ValidationRule): Readonly<Record<string, CelValue | undefined>> {
    if (rule.optionalOldSelf !== true) return { self: this.#self, oldSelf: this.#old };
    return { self: this.#self, oldSelf: this.#old === undefined ? CelOptional.none : new CelOptional(this.#old) };
  }
}

function read(node: RuleNode, value: unknown): CelValue | undefined {
  try {
    return node.decl.toValue(value);
  } catch {
    // The value does not match the schema. Rules that read the variable fail, because it has no value.
    return undefined;
  }
}

function usableMessage(message: CelValue): string | undefined {
  const text = typeof message === 'string' ? message.trim() : '';
  if (text === '' || text.includes('\n') || new TextEncoder().encode(text).length > maxMessageBytes) return undefined;
  return text;
}

function join(path: string, name: string): string {
  return path === '' || name.startsWith('[') ? path + name : `${path}.${name}`;
}
