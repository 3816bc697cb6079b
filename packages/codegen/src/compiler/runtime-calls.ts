import { declarationOf } from './constants.ts';
import type { ProjectView } from './project.ts';
import { ts } from './typescript.ts';

/** Functions of the runtime library whose calls the generator reads as declarations. */
export type RuntimeFunction =
  | 'defineKind'
  | 'controller'
  | 'requestController'
  | 'timer'
  | 'validator'
  | 'defaulter'
  | 'admissionWebhook'
  | 'converter'
  | 'spoke';

/** A call to a {@link RuntimeFunction}. */
export interface RuntimeCall {
  readonly name: RuntimeFunction;
  readonly call: ts.CallExpression;
}

/** Finds calls to runtime functions, even if they were imported under another name. */
export function callsOf(view: ProjectView, ...names: readonly RuntimeFunction[]): readonly RuntimeCall[] {
  return view.files.flatMap((file) => callsIn(file, view, names));
}

/** Finds calls to runtime functions in one file. */
export function callsIn(
  file: ts.SourceFile,
  view: ProjectView,
  names: readonly RuntimeFunction[],
): readonly RuntimeCall[] {
  // Skips files that contain none of the names, as most do. Type-checking all of their calls would take most of the run
  // time.
  const candidates = names.filter((name) => file.text.includes(name));
  if (candidates.length === 0) return [];
  const found: RuntimeCall[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const name = runtimeFunction(view, node.expression, candidates);
      if (name !== undefined) found.push({ name, call: node });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function runtimeFunction(
  view: ProjectView,
  callee: ts.Expression,
  candidates: readonly RuntimeFunction[],
): RuntimeFunction | undefined {
  if (!ts.isIdentifier(callee) && !ts.isPropertyAccessExpression(callee)) return undefined;
  // Checks the name of a member first, because resolving the member requires type checking. Unlike functions, members cannot
  // be imported under another name.
  const isNamed = ts.isIdentifier(callee) || candidates.some((name) => name === callee.name.text);
  if (!isNamed) return undefined;
  const declaration = declarationOf(view.checker, callee);
  if (declaration === undefined || !ts.isFunctionDeclaration(declaration)) return undefined;
  if (view.fileOfPackage(declaration, '@kubewright/runtime') === undefined) return undefined;
  return candidates.find((name) => name === declaration.name?.text);
}
