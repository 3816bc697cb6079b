import { type Expr, qualifiedName } from './ast.ts';
import type { Macro, MacroContext } from './macro.ts';

/** `cel.bind(name, value, expression)`. */
export const bindMacro: Macro = {
  name: 'bind',
  args: 3,
  member: true,
  expand(context, { target, args }) {
    if (target === undefined || qualifiedName(target) !== 'cel') return undefined;
    const [variable, value, body] = args;
    if (variable!.kind !== 'ident') {
      return context.report(variable!, 'cel.bind() variable names must be simple identifiers');
    }
    return bindTo(context, variable!.name, { value: value!, body: body! });
  },
};

/** The macros of optional values: `optMap(name, expression)` and `optFlatMap(name, expression)`. */
export const optionalMacros: readonly Macro[] = [
  { name: 'optMap', args: 2, member: true, expand: (context, call) => optMacro(context, call, 'optMap') },
  { name: 'optFlatMap', args: 2, member: true, expand: (context, call) => optMacro(context, call, 'optFlatMap') },
];

/** Prefix of the variables that hold the target of `optMap`. Identifiers in the source cannot start with `@`. */
export const optionalHolder = '@optional';

function optMacro(
  context: MacroContext,
  call: { readonly target: Expr | undefined; readonly args: readonly Expr[] },
  name: 'optMap' | 'optFlatMap',
): Expr {
  const [variable, body] = call.args;
  if (variable!.kind !== 'ident') {
    return context.report(variable!, `${name}() variable name must be a simple identifier`);
  }
  const { nodes, offset } = context;
  // Bind the optional to a variable, because repeating its expression would double the work with every `optMap` in a
  // chain.
  const holder = `${optionalHolder}${nodes.count}`;
  const held = (): Expr => nodes.ident(offset, holder);
  const value = nodes.method(offset, held(), { fn: 'value', args: [] });
  const bound = bindTo(context, variable!.name, { value, body: body! });
  const chosen = nodes.call(offset, '_?_:_', [
    nodes.method(offset, held(), { fn: 'hasValue', args: [] }),
    name === 'optMap' ? nodes.call(offset, 'optional.of', [bound]) : bound,
    nodes.call(offset, 'optional.none', []),
  ]);
  return bindTo(context, holder, { value: call.target!, body: chosen });
}

/** Binds a value to a variable by creating a loop over an empty list with the variable as its accumulator. */
export function bindTo(
  context: MacroContext,
  name: string,
  parts: { readonly value: Expr; readonly body: Expr },
): Expr {
  const { nodes, offset } = context;
  return nodes.comprehension(offset, {
    range: nodes.list(offset, []),
    iterVar: '#unused',
    accuVar: name,
    accuInit: parts.value,
    condition: nodes.constant(offset, false),
    step: nodes.ident(offset, name),
    result: parts.body,
    shape: { kind: 'bind' },
  });
}
