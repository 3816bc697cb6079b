import type { Overload } from '../library/library.ts';
import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr, SelectExpr } from '../syntax/ast.ts';
import { optionalHolder } from '../syntax/binding-macros.ts';
import type { Checked } from '../types/checker.ts';
import { languageCost } from './language-costs.ts';
import { libraryCosts, newListCost, newMapCost, newStructCost } from './library-costs.ts';
import type { CallCost, Operand } from './operand.ts';
import { mergeEntrySizes, SizeTable } from './size-table.ts';
import type { SizedType, UnboundedField } from './sized-type.ts';
import { anySize, around, exactly, nothing, plus, type Span, times, unbounded } from './span.ts';
import { ValuePath } from './value-path.ts';

/** The minimum and maximum cost of an expression, in units of about 50 ns. */
export interface CostEstimate extends Span {
  /** Fields without a size limit. The estimate assumes that each of these fields is as large as a request allows. */
  readonly unlimited: readonly UnboundedField[];
}

const one = exactly(1);

/**
 * Estimates the cost of a checked expression as Kubernetes 1.36 does. The API server rejects CRDs based on these estimates,
 * so every quirk of upstream is reproduced.
 *
 * @param root - the type of `self`
 */
export function estimateCost(checked: Checked, root: SizedType): CostEstimate {
  const sizes = new SizeTable(checked, root);
  const { min, max } = new Walk(checked, sizes).cost(checked.expr);
  return { min, max, unlimited: sizes.unlimited };
}

class Walk {
  readonly #checked: Checked;
  readonly #sizes: SizeTable;

  constructor(checked: Checked, sizes: SizeTable) {
    this.#checked = checked;
    this.#sizes = sizes;
  }

  cost(expr: Expr): Span {
    switch (expr.kind) {
      case 'const':
        return nothing;
      case 'ident':
        return this.#ident(expr.id, expr.name);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return expr.fields.reduce((sum, { value }) => plus(sum, this.cost(value)), exactly(newStructCost));
      case 'comprehension':
        return expr.shape.kind === 'bind' ? this.#bind(expr) : this.#comprehension(expr);
    }
  }

  #ident(id: number, name: string): Span {
    const held = this.#sizes.boundTarget(name);
    if (held !== undefined) {
      held.cost ??= this.cost(held.expr);
      return held.cost;
    }
    const local = this.#sizes.local(name);
    this.#sizes.setPath(id, local === undefined ? ValuePath.from(name) : local.path);
    return one;
  }

  #select(expr: SelectExpr): Span {
    // A name with dots, such as the name of a type.
    if (this.#checked.referenceOf(expr) !== undefined) return this.#ident(expr.id, expr.field);
    const operand = this.cost(expr.operand);
    if (expr.testOnly) return operand;
    const { kind } = this.#checked.typeOf(expr.operand);
    this.#sizes.setPath(expr.id, ValuePath.extend(this.#sizes.pathOf(expr.operand), expr.field));
    return kind === 'map' || kind === 'struct' || kind === 'param' ? plus(operand, one) : operand;
  }

  #list(expr: ListExpr): Span {
    let cost = nothing;
    let value: Span = { min: expr.elements.length === 0 ? 0 : unbounded, max: 0 };
    for (const element of expr.elements) {
      cost = plus(cost, this.cost(element));
      value = around(value, this.#sizes.sizeOr(element));
    }
    this.#sizes.setEntries(expr.id, { container: 'list', key: one, value });
    return plus(cost, exactly(newListCost));
  }

  #map(expr: MapExpr): Span {
    let cost = nothing;
    let key: Span = { min: expr.entries.length === 0 ? 0 : unbounded, max: 0 };
    let value = key;
    for (const entry of expr.entries) {
      cost = plus(plus(cost, this.cost(entry.key)), this.cost(entry.value));
      key = around(key, this.#sizes.sizeOr(entry.key));
      value = around(value, this.#sizes.sizeOr(entry.value));
    }
    this.#sizes.setEntries(expr.id, { container: 'map', key, value });
    return plus(cost, exactly(newMapCost));
  }

  #bind(expr: ComprehensionExpr): Span {
    if (expr.accuVar.startsWith(optionalHolder)) {
      this.#sizes.bindTarget(expr.accuVar, { expr: expr.accuInit });
      const cost = this.cost(expr.result);
      this.#sizes.copy(expr, expr.result);
      return cost;
    }
    const before = plus(this.cost(expr.range), this.cost(expr.accuInit));
    this.#sizes.push(expr.accuVar, this.#sizes.asLocal(expr.accuInit));
    const cost = plus(before, this.cost(expr.result));
    this.#sizes.pop(expr.accuVar);
    this.#sizes.copy(expr, expr.result);
    return cost;
  }

  #comprehension(expr: ComprehensionExpr): Span {
    let cost = plus(this.cost(expr.range), this.cost(expr.accuInit));
    this.#sizes.push(expr.accuVar, this.#sizes.asLocal(expr.accuInit));
    this.#pushLoopVariables(expr);
    const condition = this.cost(expr.condition);
    const step = this.cost(expr.step);
    this.#sizes.pop(expr.iterVar);
    if (expr.iterVar2 !== undefined) this.#sizes.pop(expr.iterVar2);
    cost = plus(cost, this.cost(expr.result));
    this.#sizes.pop(expr.accuVar);
    const count = this.#sizes.sizeOr(expr.range);
    if (expr.accuInit.kind === 'const') this.#sizes.setSize(expr, this.#sizes.sizeOf(expr.accuInit));
    if (expr.accuInit.kind === 'list' || expr.accuInit.kind === 'map') {
      this.#sizes.setSize(expr, count);
      this.#sizes.setEntries(expr.id, this.#sizes.entriesOf(expr.step));
    }
    return plus(cost, times(count, plus(step, condition)));
  }

  #pushLoopVariables({ range, iterVar, iterVar2 }: ComprehensionExpr): void {
    const entries = this.#sizes.entriesOf(range);
    const isList = (entries?.container ?? this.#checked.typeOf(range).kind) === 'list';
    const path = this.#sizes.pathOf(range);
    const key = { step: isList ? '@indices' : '@keys', size: entries?.key };
    const value = { step: isList ? '@items' : '@values', size: entries?.value };
    const push = (name: string, { step, size }: typeof key): void =>
      this.#sizes.push(name, { path: ValuePath.extend(path, step), size });
    push(iterVar, iterVar2 === undefined && isList ? value : key);
    if (iterVar2 !== undefined) push(iterVar2, value);
  }

  #call(expr: CallExpr): Span {
    if (expr.fn === 'dyn') {
      const cost = plus(this.cost(expr.args[0]!), one);
      this.#sizes.copy(expr, expr.args[0]!);
      return cost;
    }
    const reference = this.#checked.referenceOf(expr);
    if (reference?.kind !== 'function') return nothing;
    const costs: Span[] = [];
    const args = expr.args.map((arg) => {
      costs.push(this.cost(arg));
      return this.#operand(arg);
    });
    const overloads = reference.overloads.length === 0 ? [untyped] : reference.overloads;
    // `optional.none` is a function with a dotted name; the part before the dot is not a target.
    const member = expr.target !== undefined && overloads.some((overload) => overload.member) ? expr.target : undefined;
    const before = member === undefined ? nothing : this.cost(member);
    const target = member && this.#operand(member);
    const isFor = { expr, name: reference.name, target, args, costs };
    return plus(before, this.#overloads(overloads, isFor));
  }

  /** Returns a span that covers the costs of all overloads that the call may resolve to. */
  #overloads(overloads: readonly OverloadTypes[], call: CallInTree): Span {
    let cost: Span | undefined;
    let size: Span | undefined;
    for (const overload of overloads) {
      const estimate = this.#overload(overload, call);
      cost = cost === undefined ? estimate.cost : around(cost, estimate.cost);
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : around(size, estimate.size);
      const container = overload.params[0]?.kind;
      if (call.name === '_[_]' && (container === 'list' || container === 'map')) {
        const [of] = call.expr.args;
        size = this.#sizes.entriesOf(of!)?.value;
        this.#sizes.setPath(
          call.expr.id,
          ValuePath.extend(this.#sizes.pathOf(of!), container === 'list' ? '@items' : '@values'),
        );
      }
      size ??= this.#sizes.sizeOf(call.expr);
    }
    this.#sizes.setSize(call.expr, size);
    return cost ?? nothing;
  }

  #overload(overload: OverloadTypes, { name, target, args, costs, expr }: CallInTree): CallCost {
    const sizeAt = (path: ValuePath | undefined): Span | undefined => this.#sizes.declared(path);
    const call = { name, overload, target, args, sizeAt };
    const ofArguments = costs.reduce(plus, nothing);
    const known = libraryCosts.get(name)?.(call);
    if (known !== undefined) return { ...known, cost: plus(known.cost, ofArguments) };
    if (name === '_&&_' || name === '_||_') return { cost: { min: costs[0]?.min ?? 0, max: ofArguments.max } };
    if (name === '_?_:_') return this.#conditional(expr, args, costs);
    if (name === '_+_') this.#joinEntries(expr, args);
    const estimate = languageCost(call);
    return { ...estimate, cost: plus(estimate.cost, ofArguments) };
  }

  #conditional(expr: Expr, args: readonly Operand[], costs: readonly Span[]): CallCost {
    const [, then, otherwise] = args;
    const size = around(then!.size ?? anySize, otherwise!.size ?? anySize);
    this.#sizes.setEntries(
      expr.id,
      mergeEntrySizes(this.#sizes.entriesOf(then!.expr), this.#sizes.entriesOf(otherwise!.expr)),
    );
    return { cost: plus(costs[0]!, around(costs[1]!, costs[2]!)), size };
  }

  #joinEntries(expr: Expr, [left, right]: readonly Operand[]): void {
    this.#sizes.setEntries(
      expr.id,
      mergeEntrySizes(this.#sizes.entriesOf(left!.expr), this.#sizes.entriesOf(right!.expr)),
    );
  }

  #operand(written: Expr): Operand {
    const expr = this.#sizes.resolveTarget(written);
    return { expr, type: this.#checked.typeOf(expr), path: this.#sizes.pathOf(expr), size: this.#sizes.sizeOf(expr) };
  }
}

type OverloadTypes = Pick<Overload, 'params' | 'result' | 'member'>;

/** Placeholder overload for calls that have no overload, such as `a.?b`. */
const untyped: OverloadTypes = { params: [], result: { kind: 'dyn', name: 'dyn', params: [] }, member: false };

interface CallInTree {
  readonly expr: CallExpr;
  readonly name: string;
  readonly target: Operand | undefined;
  readonly args: readonly Operand[];
  readonly costs: readonly Span[];
}
