import type { KindRef } from '../compiler/builtin-types.ts';
import { initializerOf } from '../compiler/constants.ts';
import { givenOption } from '../compiler/given-options.ts';
import type { KindResolver } from '../compiler/kind-resolver.ts';
import { parseDocs } from '../compiler/parse-docs.ts';
import type { ProjectView } from '../compiler/project.ts';
import { callsIn, type RuntimeCall } from '../compiler/runtime-calls.ts';
import { ts } from '../compiler/typescript.ts';
import type { Memory } from '../memory.ts';
import type { Problems } from '../problem.ts';
import { hasRbacTag } from './has-rbac-tag.ts';
import { parseRbacTag } from './parse-rbac-tag.ts';
import { type RbacRule, ruleFor, subresourceRule } from './rule.ts';
import { rulesOfCalls } from './typed-calls.ts';

/** The inputs of a search for rules. */
export interface RuleSearch {
  readonly view: ProjectView;
  readonly resolver: KindResolver;
  readonly problems: Problems;
}

/** The rules that one file requires. */
export interface FileRules {
  readonly rules: readonly RbacRule[];
  readonly hasControllers: boolean;
}

/** Derives the permissions that a program needs from its controllers, its calls and its comments. */
export function findRules(search: RuleSearch & { readonly memory: Memory<FileRules> }): readonly RbacRule[] {
  const { view, resolver, problems, memory } = search;
  const found = view.files.map((file) => {
    // The state includes the names of all kinds, because code can refer to a kind of the project without importing it.
    const isAbout = { name: file.fileName, state: `${view.stateOf(file)} ${resolver.names}`, problems };
    return memory.recall(isAbout, (own) => rulesIn(file, { view, resolver, problems: own }));
  });
  const events = ruleFor({ group: 'events.k8s.io', plural: 'events' }, 'create', 'patch');
  const rules = found.flatMap((each) => each.rules);
  return found.some(({ hasControllers }) => hasControllers) ? [...rules, events] : rules;
}

function rulesIn(file: ts.SourceFile, search: RuleSearch): FileRules {
  const calls = callsIn(file, search.view, ['controller', 'requestController', 'timer']);
  const rules = [...controllerRules(calls, search), ...rulesOfCalls(file, search), ...taggedRules(file, search)];
  return { rules, hasControllers: calls.length > 0 };
}

/** Derives the rules from controllers, in the same way as the runtime library (`Manager.permissions`). */
function controllerRules(calls: readonly RuntimeCall[], search: RuleSearch): readonly RbacRule[] {
  return calls.flatMap((each) => {
    const from = search.view.position(each.call);
    return rulesOfController(each, search).map((rule) => ({ ...rule, from }));
  });
}

function rulesOfController({ name, call }: RuntimeCall, search: RuleSearch): readonly RbacRule[] {
  const options = optionsOf(call, search);
  if (options === undefined) return [];
  const rules: RbacRule[] = [];
  const of = (option: string): readonly ts.Expression[] => expressionsOf(options, option, search);
  const kindsOf = (option: string): readonly KindRef[] => of(option).flatMap((each) => kindsIn(each, search));
  const [primary, owns] = [kindsOf('for'), kindsOf('owns')];
  const read = [...kindsOf('watches'), ...kindsOf('caches')];
  for (const kind of read) rules.push(ruleFor(kind, 'get', 'list', 'watch'));
  for (const kind of owns) rules.push(ruleFor(kind, 'get', 'list', 'watch', 'create', 'patch', 'delete'));
  if (name === 'requestController') return rules;
  for (const kind of primary) {
    rules.push(ruleFor(kind, 'get', 'list', 'watch'), subresourceRule(kind, 'status', 'patch'));
    if (of('finalizers').some((each) => hasFields(each, search))) rules.push(ruleFor(kind, 'patch'));
    // Children have owner references with blockOwnerDeletion, for which admission requires this permission.
    if (owns.length > 0) rules.push(subresourceRule(kind, 'finalizers', 'update'));
  }
  return rules;
}

function optionsOf(call: ts.CallExpression, { view, problems }: RuleSearch): ts.ObjectLiteralExpression | undefined {
  const [argument] = call.arguments;
  const written = argument && (initializerIfConst(view, argument) ?? argument);
  if (written !== undefined && ts.isObjectLiteralExpression(written)) return written;
  if (hasRbacTag(call)) return undefined;
  problems.add(view.position(call), {
    code: 'KW6401',
    severity: 'warning',
    what: 'the permissions of the controller cannot be determined from the code',
    fix: 'pass the options of the controller as an object literal, or add /** @rbac groups=… resources=… verbs=… */',
  });
  return undefined;
}

/** Returns the possible values of an option. Reports expressions that cannot be resolved. */
function expressionsOf(
  options: ts.ObjectLiteralExpression,
  option: string,
  { view, problems }: RuleSearch,
): readonly ts.Expression[] {
  const { values, unknown } = givenOption(view, options, option);
  for (const expression of unknown) {
    if (hasRbacTag(expression)) continue;
    problems.add(view.position(expression), {
      code: 'KW6401',
      severity: 'warning',
      what: `the value of ${option} in ${expression.getText()} cannot be determined from the code`,
      why: 'the permissions for its kinds are missing from the role',
      fix: `set ${option} where the controller is created, or add /** @rbac groups=… resources=… verbs=… */`,
    });
  }
  return values;
}

function initializerIfConst(view: ProjectView, expression: ts.Expression): ts.Expression | undefined {
  return ts.isIdentifier(expression) ? initializerOf(view.checker, expression) : undefined;
}

function kindsIn(expression: ts.Expression, search: RuleSearch): readonly KindRef[] {
  const written = initializerIfConst(search.view, expression);
  if (ts.isArrayLiteralExpression(expression)) return expression.elements.flatMap((each) => kindsIn(each, search));
  if (ts.isSpreadElement(expression)) return kindsIn(expression.expression, search);
  if (written !== undefined && ts.isArrayLiteralExpression(written)) return kindsIn(written, search);
  const kind = search.resolver.ofExpression(expression);
  if (kind !== undefined) return [kind];
  if (hasRbacTag(expression)) return [];
  search.problems.add(search.view.position(expression), {
    code: 'KW6401',
    severity: 'warning',
    what: `the kind of ${expression.getText()} cannot be determined from the code`,
    why: 'the permissions for this kind are missing from the role',
    fix: 'add /** @rbac groups=… resources=… verbs=get;list;watch */ above the controller',
  });
  return [];
}

function hasFields(expression: ts.Expression, { view }: RuleSearch): boolean {
  return view.checker.getTypeAtLocation(expression).getProperties().length > 0;
}

/** Finds `@rbac` tags in all documentation comments. */
function taggedRules(file: ts.SourceFile, { view, problems }: RuleSearch): readonly RbacRule[] {
  const rules: RbacRule[] = [];
  if (!file.text.includes('@rbac')) return rules;
  for (const { text, offset } of docComments(file)) {
    for (const tag of parseDocs(text, offset).tags) {
      if (tag.name !== 'rbac') continue;
      const rule = parseRbacTag(tag.text);
      if (typeof rule !== 'string') {
        rules.push({ ...rule, from: view.positionAt(file, tag.offset) });
        continue;
      }
      const fix = 'use the form @rbac groups=apps resources=deployments verbs=get;list;watch';
      problems.add(view.positionAt(file, tag.offset), {
        code: 'KW6203',
        what: 'invalid @rbac tag',
        why: rule,
        fix,
      });
    }
  }
  return rules;
}

/**
 * Yields all documentation comments. Skips text in strings that looks like a comment, because it must not grant permissions.
 */
function* docComments(file: ts.SourceFile): Generator<{ readonly text: string; readonly offset: number }> {
  const opening = /\/\*\*/g;
  for (let match = opening.exec(file.text); match; match = opening.exec(file.text)) {
    const literal = literalAt(file, match.index);
    const end = file.text.indexOf('*/', match.index + 3);
    if (literal === undefined && end < 0) return;
    if (literal === undefined) yield { text: file.text.slice(match.index, end + 2), offset: match.index };
    opening.lastIndex = literal?.end ?? end + 2;
  }
}

/** Returns the string, template or regular expression that contains a position, or undefined. */
function literalAt(node: ts.Node, position: number): ts.Node | undefined {
  const inner = ts.forEachChild(node, (child) => (child.pos <= position && position < child.end ? child : undefined));
  if (inner) return literalAt(inner, position);
  return isText(node) && node.getStart() <= position ? node : undefined;
}

function isText(node: ts.Node): boolean {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddleOrTemplateTail(node) ||
    ts.isRegularExpressionLiteral(node) ||
    ts.isJsxText(node)
  );
}
