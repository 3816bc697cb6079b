import type { CelEnvironment } from '../environment.ts';
import {
  type CallExpr,
  type ComprehensionExpr,
  type Expr,
  type ListExpr,
  type MapExpr,
  qualifiedName,
  type SelectExpr,
  type StructExpr,
  type StructField,
} from '../syntax/ast.ts';
import { IssueList } from '../syntax/issue.ts';
import type { Parsed } from '../syntax/parser.ts';
import { typeOfValue } from '../values/type-of.ts';
import type { CelType } from './cel-type.ts';
import * as t from './cel-type.ts';
import { resolveOverloads } from './resolve-overloads.ts';
import { type NamedFunction, type Reference, Scopes } from './scopes.ts';
import { mostGeneral, Unifier } from './unify.ts';

/** A type-checked expression: the tree, with the type and the reference of each node. */
export interface Checked extends Parsed {
  readonly resultType: CelType;
  typeOf(expr: Expr): CelType;
  referenceOf(expr: Expr): Reference | undefined;
}

/**
 * Infers the type of every node.
 * @throws CelCompileError with all type errors, in cel-go's wording
 */
export function check(parsed: Parsed, environment: CelEnvironment, variables: ReadonlyMap<string, CelType>): Checked {
  const issues = new IssueList(parsed.source);
  const checker = new Checker(environment, variables, issues);
  checker.check(parsed.expr);
  issues.throwIfAny();
  const { types, references } = checker.finish();
  return {
    ...parsed,
    resultType: types[parsed.expr.id] ?? t.dynType,
    typeOf: (expr) => types[expr.id] ?? t.dynType,
    referenceOf: (expr) => references[expr.id],
  };
}

class Checker {
  readonly #environment: CelEnvironment;
  readonly #issues: IssueList;
  readonly #unifier = new Unifier();
  readonly #types: CelType[] = [];
  readonly #references: (Reference | undefined)[] = [];
  readonly #scopes: Scopes;

  constructor(environment: CelEnvironment, variables: ReadonlyMap<string, CelType>, issues: IssueList) {
    this.#environment = environment;
    this.#scopes = new Scopes(environment, variables);
    this.#issues = issues;
  }

  finish(): { readonly types: readonly CelType[]; readonly references: readonly (Reference | undefined)[] } {
    return { types: this.#types.map((type) => this.#unifier.resolve(type, true)), references: this.#references };
  }

  /** Checks a node and returns its type. */
  check(expr: Expr): CelType {
    const type = this.#infer(expr);
    this.#types[expr.id] = type;
    return type;
  }

  #infer(expr: Expr): CelType {
    switch (expr.kind) {
      case 'const':
        return typeOfValue(expr.value);
      case 'ident':
        return this.#ident(expr, expr.name) ?? this.#undeclared(expr, expr.name);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'comprehension':
        return this.#comprehension(expr);
    }
  }

  #struct(expr: StructExpr): CelType {
    const type = this.#environment.struct(expr.name);
    for (const field of expr.fields) {
      const value = this.check(field.value);
      const given = field.optional ? this.#unwrapped(field.value, value) : value;
      if (type) this.#checkField(type, field, given);
    }
    return type ?? this.#undeclared(expr, expr.name);
  }

  #checkField(type: CelType, field: StructField, value: CelType): void {
    const { name } = field;
    const declared = type.fields?.typeOf(name);
    if (!declared) this.#fault(field, `undefined field '${name}'`);
    else if (!this.#unifier.assignable(value, declared)) {
      const types = `'${t.formatType(declared)}' but provided type is '${t.formatType(value)}'`;
      this.#fault(field, `expected type of field '${name}' is ${types}`);
    }
  }

  #undeclared(expr: Expr, name: string): CelType {
    const container = this.#environment.options.container ?? '';
    return this.#fault(expr, `undeclared reference to '${name}' (in container '${container}')`);
  }

  #fault(expr: { readonly offset: number }, message: string): CelType {
    this.#issues.report(expr.offset, message);
    return t.errorType;
  }

  /** Resolves a name: returns its type and records the reference. */
  #ident(expr: Expr, name: string): CelType | undefined {
    const found = this.#scopes.find(name);
    if (found !== undefined) this.#references[expr.id] = found.reference;
    return found?.type;
  }

  #select(expr: SelectExpr): CelType {
    const name = qualifiedName(expr);
    const named = name === undefined || this.#scopes.startsWithLocal(name) ? undefined : this.#ident(expr, name);
    if (named !== undefined) return named;
    const type = this.#field(expr, expr.operand, { name: expr.field, optional: false });
    return expr.testOnly ? t.boolType : this.#unifier.resolve(type, false);
  }

  #field(expr: Expr, operand: Expr, field: { readonly name: string; readonly optional: boolean }): CelType {
    const operandType = this.#unifier.resolve(this.check(operand), false);
    const target = t.unwrapOptional(operandType);
    const type = this.#fieldType(expr, target, field.name);
    return field.optional || t.isOptional(operandType) ? t.optionalOf(type) : type;
  }

  #fieldType(expr: Expr, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return target.params[1]!;
      case 'struct':
        return target.fields?.typeOf(field) ?? this.#fault(expr, `undefined field '${field}'`);
      case 'param':
        this.#unifier.assignable(t.dynType, target);
        return t.dynType;
      default:
        if (target.kind === 'opaque' && target.name.startsWith('kubernetes.')) {
          // In cel-go, the `kubernetes.` types are object types without a definition.
          this.#fault(expr, `unexpected failed resolution of '${target.name}'`);
        } else if (!t.isDynOrError(target)) {
          this.#fault(expr, `type '${t.formatType(target)}' does not support field selection`);
        }
        return t.dynType;
    }
  }

  #call(expr: CallExpr): CelType {
    if (expr.fn === '_?._') return this.#optionalSelect(expr);
    for (const arg of expr.args) this.check(arg);
    if (expr.target === undefined) {
      const found = this.#scopes.findFunction(expr.fn);
      return found === undefined ? this.#undeclared(expr, expr.fn) : this.#resolve(expr, found, undefined);
    }
    const prefix = qualifiedName(expr.target);
    const namespaced =
      prefix === undefined || this.#scopes.startsWithLocal(prefix)
        ? undefined
        : this.#scopes.findFunction(`${prefix}.${expr.fn}`);
    if (namespaced !== undefined) return this.#resolve(expr, namespaced, undefined);
    this.check(expr.target);
    const overloads = this.#environment.functions.get(expr.fn);
    if (overloads === undefined) return this.#undeclared(expr, expr.fn);
    return this.#resolve(expr, { name: expr.fn, overloads }, expr.target);
  }

  #optionalSelect(expr: CallExpr): CelType {
    const [operand, field] = expr.args;
    const name = field!.kind === 'const' && typeof field!.value === 'string' ? field!.value : '';
    this.check(field!);
    const type = this.#field(expr, operand!, { name, optional: true });
    this.#references[expr.id] = { kind: 'function', name: expr.fn, overloads: [] };
    return this.#unifier.resolve(type, false);
  }

  #resolve(expr: CallExpr, fn: NamedFunction, target: Expr | undefined): CelType {
    const args = (target === undefined ? expr.args : [target, ...expr.args]).map((arg) => this.#types[arg.id]!);
    if (fn.name === '_&&_' || fn.name === '_||_') return this.#logical(expr, fn, args);
    const isMember = target !== undefined;
    const found = resolveOverloads(fn.overloads, { args, isMember }, this.#unifier);
    if (found === undefined) {
      const resolved = args.map((arg) => this.#unifier.resolve(arg, true));
      const call = t.formatCall(resolved, isMember);
      return this.#fault(expr, `found no matching overload for '${fn.name}' applied to '${call}'`);
    }
    this.#references[expr.id] = { kind: 'function', name: fn.name, overloads: found.matching };
    return found.result;
  }

  #logical(expr: CallExpr, fn: NamedFunction, args: readonly CelType[]): CelType {
    let type = t.boolType;
    args.forEach((arg, i) => {
      if (this.#unifier.assignable(arg, t.boolType)) return;
      type = this.#mismatch(expr.args[i]!, t.boolType, arg);
    });
    this.#references[expr.id] = { kind: 'function', name: fn.name, overloads: fn.overloads };
    return type;
  }

  #mismatch(expr: Expr, expected: CelType, actual: CelType): CelType {
    return this.#fault(expr, `expected type '${t.formatType(expected)}' but found '${t.formatType(actual)}'`);
  }

  #list(expr: ListExpr): CelType {
    let joined: CelType | undefined;
    expr.elements.forEach((element, i) => {
      const type = this.check(element);
      joined = this.#join(joined, expr.optionals.has(i) ? this.#unwrapped(element, type) : type);
    });
    return t.listOf(joined ?? this.#unifier.newVariable());
  }

  #map(expr: MapExpr): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of expr.entries) {
      key = this.#join(key, this.check(entry.key));
      const type = this.check(entry.value);
      value = this.#join(value, entry.optional ? this.#unwrapped(entry.value, type) : type);
    }
    return t.mapOf(key ?? this.#unifier.newVariable(), value ?? this.#unifier.newVariable());
  }

  #unwrapped(expr: Expr, type: CelType): CelType {
    if (!t.isOptional(type) && !t.isDyn(type)) this.#mismatch(expr, t.optionalOf(type), type);
    return t.unwrapOptional(type);
  }

  #join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    return this.#unifier.assignable(previous, current) ? mostGeneral(previous, current) : t.dynType;
  }

  #comprehension(expr: ComprehensionExpr): CelType {
    const range = this.#unifier.resolve(this.check(expr.range), false);
    const accu = this.check(expr.accuInit);
    this.#scopes.enter(new Map([[expr.accuVar, accu]]));
    const [first, second] = this.#iterationTypes(expr, range);
    const names: [string, CelType][] = [[expr.iterVar, first]];
    if (expr.iterVar2 !== undefined) names.push([expr.iterVar2, second]);
    this.#scopes.enter(new Map(names));
    this.#assert(expr.condition, t.boolType);
    this.#assert(expr.step, accu);
    this.#scopes.leave();
    const result = this.check(expr.result);
    this.#scopes.leave();
    return this.#unifier.resolve(result, false);
  }

  #assert(expr: Expr, type: CelType): void {
    const actual = this.check(expr);
    if (!this.#unifier.assignable(type, actual)) this.#mismatch(expr, type, actual);
  }

  /** Returns the types of the loop's one or two variables. */
  #iterationTypes(expr: ComprehensionExpr, range: CelType): readonly [CelType, CelType] {
    const two = expr.iterVar2 !== undefined;
    switch (range.kind) {
      case 'list':
        return two ? [t.intType, range.params[0]!] : [range.params[0]!, t.errorType];
      case 'map':
        return [range.params[0]!, range.params[1]!];
      case 'dyn':
      case 'any':
      case 'error':
      case 'param':
        this.#unifier.assignable(t.dynType, range);
        return [t.dynType, t.dynType];
      default:
        this.#fault(
          expr.range,
          `expression of type '${t.formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [t.errorType, t.errorType];
    }
  }
}
