import { declarationOf } from './constants.ts';
import type { ProjectView } from './project.ts';
import { ts } from './typescript.ts';

/** Functions of the runtime whose calls are declarations. */
export type RuntimeFunction =
  | 'defineKind'
  | 'controller'
  | 'requestController'
  | 'validator'
  | 'defaulter'
  | 'admissionWebhook'
  | 'converter'
  | 'spoke';

/** A call of one of them. */
export interface RuntimeCall {
  readonly name: RuntimeFunction;
  readonly call: ts.CallExpression;
}

/** Finds the calls of functions of the runtime, under whatever name they were imported. */
export function callsOf(view: ProjectView, ...names: readonly RuntimeFunction[]): readonly RuntimeCall[] {
  const found: RuntimeCall[] = [];
  for (const file of view.files) {
    // Most files have none of the words; looking at all their calls would take longer than all the rest.
    const candidates = names.filter((name) => file.text.includes(name));
    if (candidates.length === 0) continue;
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node)) {
        const name = runtimeFunction(view, node.expression);
        if (name !== undefined && candidates.includes(name)) found.push({ name, call: node });
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return found;
}

function runtimeFunction(view: ProjectView, callee: ts.Expression): RuntimeFunction | undefined {
  if (!ts.isIdentifier(callee) && !ts.isPropertyAccessExpression(callee)) return undefined;
  const declaration = declarationOf(view.checker, callee);
  if (declaration === undefined || !ts.isFunctionDeclaration(declaration)) return undefined;
  if (view.fileOfPackage(declaration, '@kubewright/runtime') === undefined) return undefined;
  return declaration.name?.text as RuntimeFunction | undefined; // compared with the known names by the caller
}
