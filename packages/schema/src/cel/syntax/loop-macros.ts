import { accumulator, type ComprehensionShape, type Expr } from './ast.ts';
import type { Macro, MacroContext } from './macro.ts';

type Call = { readonly target: Expr | undefined; readonly args: readonly Expr[] };

/** The variables of a loop. */
interface LoopVars {
  readonly iterVar: string;
  readonly iterVar2?: string;
}

/** The standard macros of the language: `has`, `all`, `exists`, `exists_one`, `map`, `filter`. */
export const standardMacros: readonly Macro[] = [
  { name: 'has', args: 1, member: false, expand: has },
  loop('all', 2, (context, call) => quantifier(context, call, 'all')),
  loop('exists', 2, (context, call) => quantifier(context, call, 'exists')),
  loop('exists_one', 2, (context, call) => quantifier(context, call, 'existsOne')),
  loop('existsOne', 2, (context, call) => quantifier(context, call, 'existsOne')),
  loop('map', 2, mapMacro),
  loop('map', 3, mapMacro),
  loop('filter', 2, filterMacro),
];

/**
 * The macros with two variables (index and value, or key and value): `all`, `exists`, `existsOne`, `transformList`,
 * `transformMap`, `transformMapEntry`.
 */
export const twoVariableMacros: readonly Macro[] = [
  loop('all', 3, (context, call) => quantifier(context, call, 'all')),
  loop('exists', 3, (context, call) => quantifier(context, call, 'exists')),
  loop('existsOne', 3, (context, call) => quantifier(context, call, 'existsOne')),
  loop('exists_one', 3, (context, call) => quantifier(context, call, 'existsOne')),
  ...[3, 4].flatMap((args) => [
    loop('transformList', args, (context, call) => transformMacro(context, call, 'list')),
    loop('transformMap', args, (context, call) => transformMacro(context, call, 'mapValues')),
    loop('transformMapEntry', args, (context, call) => transformMacro(context, call, 'mapEntries')),
  ]),
];

function loop(name: string, args: number, expand: Macro['expand']): Macro {
  return { name, args, member: true, expand };
}

function has(context: MacroContext, call: Call): Expr {
  const arg = call.args[0]!;
  if (arg.kind !== 'select') return context.report(arg, 'invalid argument to has() macro');
  return context.nodes.select(context.offset, { operand: arg.operand, field: arg.field, testOnly: true });
}

/**
 * Returns the loop variables: all arguments except the last `bodies`. If a variable is not a simple name, reports an
 * error and returns a placeholder for the loop.
 */
function variables(
  context: MacroContext,
  args: readonly Expr[],
  options: { readonly bodies: number; readonly message: string },
): { readonly vars: LoopVars } | { readonly broken: Expr } {
  const names: string[] = [];
  for (const arg of args.slice(0, args.length - options.bodies)) {
    if (arg.kind !== 'ident' || arg.name.startsWith('.')) return { broken: context.report(arg, options.message) };
    if (names.includes(arg.name)) return { broken: context.report(arg, `duplicate variable name: ${arg.name}`) };
    if (arg.name === '__result__' || arg.name === accumulator) {
      return { broken: context.report(arg, 'iteration variable overwrites accumulator variable') };
    }
    names.push(arg.name);
  }
  const [iterVar, iterVar2] = names;
  return { vars: iterVar2 === undefined ? { iterVar: iterVar! } : { iterVar: iterVar!, iterVar2 } };
}

function quantifier(context: MacroContext, call: Call, kind: 'all' | 'exists' | 'existsOne'): Expr {
  const found = variables(context, call.args, { bodies: 1, message: 'argument must be a simple name' });
  if ('broken' in found) return found.broken;
  const { nodes, offset } = context;
  const predicate = call.args.at(-1)!;
  const accu = (): Expr => nodes.ident(offset, accumulator);
  const parts = {
    all: () => ({
      accuInit: nodes.constant(offset, true),
      condition: nodes.call(offset, '@not_strictly_false', [accu()]),
      step: nodes.call(offset, '_&&_', [accu(), predicate]),
      result: accu(),
    }),
    exists: () => ({
      accuInit: nodes.constant(offset, false),
      condition: nodes.call(offset, '@not_strictly_false', [nodes.call(offset, '!_', [accu()])]),
      step: nodes.call(offset, '_||_', [accu(), predicate]),
      result: accu(),
    }),
    existsOne: () => ({
      accuInit: nodes.constant(offset, 0),
      condition: nodes.constant(offset, true),
      step: nodes.call(offset, '_?_:_', [
        predicate,
        nodes.call(offset, '_+_', [accu(), nodes.constant(offset, 1)]),
        accu(),
      ]),
      result: nodes.call(offset, '_==_', [accu(), nodes.constant(offset, 1)]),
    }),
  };
  const shape: ComprehensionShape = { kind, predicate };
  return nodes.comprehension(offset, { range: call.target!, ...found.vars, ...parts[kind](), shape });
}

/** Expands `range.map(name, transform)` and `range.map(name, filter, transform)`. */
export function mapMacro(context: MacroContext, call: Call): Expr {
  const [variable, first, second] = call.args;
  const found = variables(context, [variable!], { bodies: 0, message: 'argument is not an identifier' });
  if ('broken' in found) return found.broken;
  const filter = second === undefined ? undefined : first;
  return listLoop(context, call.target!, { vars: found.vars, filter, transform: second ?? first! });
}

function filterMacro(context: MacroContext, call: Call): Expr {
  const [variable, predicate] = call.args;
  const found = variables(context, [variable!], { bodies: 0, message: 'argument is not an identifier' });
  if ('broken' in found) return found.broken;
  return listLoop(context, call.target!, { vars: found.vars, filter: predicate!, transform: variable! });
}

function listLoop(
  context: MacroContext,
  range: Expr,
  body: { readonly vars: LoopVars; readonly filter: Expr | undefined; readonly transform: Expr },
): Expr {
  const { nodes, offset } = context;
  const accu = (): Expr => nodes.ident(offset, accumulator);
  const add = nodes.call(offset, '_+_', [accu(), nodes.list(offset, [body.transform])]);
  return nodes.comprehension(offset, {
    range,
    ...body.vars,
    accuInit: nodes.list(offset, []),
    condition: nodes.constant(offset, true),
    step: body.filter === undefined ? add : nodes.call(offset, '_?_:_', [body.filter, add, accu()]),
    result: accu(),
    shape: { kind: 'list', filter: body.filter, transform: body.transform },
  });
}

function transformMacro(context: MacroContext, call: Call, kind: 'list' | 'mapValues' | 'mapEntries'): Expr {
  const found = variables(context, call.args.slice(0, 2), { bodies: 0, message: 'argument must be a simple name' });
  if ('broken' in found) return found.broken;
  const filter = call.args.length === 4 ? call.args[2] : undefined;
  const transform = call.args.at(-1)!;
  if (kind === 'list') return listLoop(context, call.target!, { vars: found.vars, filter, transform });
  const { nodes, offset } = context;
  const accu = (): Expr => nodes.ident(offset, accumulator);
  const insert =
    kind === 'mapValues'
      ? nodes.call(offset, 'cel.@mapInsert', [accu(), nodes.ident(offset, found.vars.iterVar), transform])
      : nodes.call(offset, 'cel.@mapInsert', [accu(), transform]);
  return nodes.comprehension(offset, {
    range: call.target!,
    ...found.vars,
    accuInit: nodes.map(offset, []),
    condition: nodes.constant(offset, true),
    step: filter === undefined ? insert : nodes.call(offset, '_?_:_', [filter, insert, accu()]),
    result: accu(),
    shape: { kind, filter, transform },
  });
}
