import type { KindRef } from '../compiler/builtin-types.ts';
import { constantOf, declarationOf } from '../compiler/constants.ts';
import type { KindResolver } from '../compiler/kind-resolver.ts';
import type { ProjectView } from '../compiler/project.ts';
import { ts } from '../compiler/typescript.ts';
import type { Problems } from '../problem.ts';
import { hasRbacTag } from './has-rbac-tag.ts';
import { type RbacRule, ruleFor, subresourceRule } from './rule.ts';

interface CallSearch {
  readonly view: ProjectView;
  readonly resolver: KindResolver;
  readonly problems: Problems;
}

const verbsOfCalls: Readonly<Record<string, readonly string[]>> = {
  get: ['get'],
  list: ['list'],
  listAll: ['list'],
  listStream: ['list'],
  create: ['create'],
  update: ['update'],
  patch: ['patch'],
  // Server-side apply is a patch, and a create if the object does not exist.
  apply: ['create', 'patch'],
  delete: ['delete'],
  deleteCollection: ['deletecollection'],
  watch: ['watch'],
  watchStream: ['watch'],
  waitFor: ['list', 'watch'],
  waitForDeletion: ['list', 'watch'],
  stream: ['get'],
};

/** The subresource of a pod and the verbs that each method of `client.pods` needs. */
const podCalls: Readonly<Record<string, readonly [string, ...string[]]>> = {
  logs: ['log', 'get'],
  // The API server requires both verbs: the request is a GET that opens a WebSocket, but can have side effects.
  exec: ['exec', 'create', 'get'],
  attach: ['attach', 'create', 'get'],
  connect: ['portforward', 'create', 'get'],
  portForward: ['portforward', 'create', 'get'],
  evict: ['eviction', 'create'],
};

/** Finds the permissions that calls to typed clients and reconcile contexts need. Warns about untyped calls. */
export function rulesOfCalls(file: ts.SourceFile, search: CallSearch): readonly RbacRule[] {
  const rules: RbacRule[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const from = search.view.position(node);
      rules.push(...rulesOfCall(node, search).map((rule) => ({ ...rule, from })));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return rules;
}

function rulesOfCall(call: ts.CallExpression, search: CallSearch): readonly RbacRule[] {
  const callee = call.expression;
  if (!ts.isPropertyAccessExpression(callee)) return [];
  const method = callee.name.text;
  const podCall = Object.hasOwn(podCalls, method) ? podCalls[method] : undefined;
  if (podCall && ownerOf(callee, search.view) === 'PodsClient') {
    const [name, ...podVerbs] = podCall;
    return [subresourceRule({ group: '', plural: 'pods' }, name, ...podVerbs)];
  }
  const verbs = Object.hasOwn(verbsOfCalls, method) ? verbsOfCalls[method] : undefined;
  if (verbs === undefined) return [];
  switch (ownerOf(callee, search.view)) {
    case 'RequestContext':
      return contextRules(call, { method, verbs, search });
    case 'ResourceClient':
    case 'MetadataClient':
      return kindsOfClient(callee.expression, call, search).map((kind) => ruleFor(kind, ...verbs));
    case 'SubresourceClient':
      return subresourceRules(callee.expression, { call, verbs, search });
    default:
      return [];
  }
}

/** Returns the name of the interface that declares a method, if it belongs to the runtime or client package. */
function ownerOf(callee: ts.PropertyAccessExpression, view: ProjectView): string | undefined {
  const declaration = declarationOf(view.checker, callee);
  const owner = declaration?.parent;
  if (owner === undefined || !ts.isInterfaceDeclaration(owner)) return undefined;
  const isOurs = ['@kubewright/runtime', '@kubewright/client'].some((name) => view.fileOfPackage(owner, name));
  return isOurs ? owner.name.text : undefined;
}

interface Call {
  readonly method: string;
  readonly verbs: readonly string[];
  readonly search: CallSearch;
}

/** Returns the rules for a call to a reconcile context: `ctx.get(Kind, key)`, `ctx.apply(objects)`, `ctx.delete(object)`. */
function contextRules(call: ts.CallExpression, { method, verbs, search }: Call): readonly RbacRule[] {
  const [argument] = call.arguments;
  if (argument === undefined) return [];
  if (method === 'get' || method === 'list') {
    const kind = search.resolver.ofExpression(argument);
    return kind === undefined ? unknownKind(argument, search) : [ruleFor(kind, ...verbs)];
  }
  return search.resolver.ofObjects(argument).flatMap((kind) => {
    if (kind === undefined) return unknownKind(argument, search);
    return [ruleFor(kind, ...verbs)];
  });
}

function unknownKind(node: ts.Expression, { view, problems }: CallSearch): readonly RbacRule[] {
  if (hasRbacTag(node)) return [];
  problems.add(view.position(node), {
    code: 'KW6401',
    severity: 'warning',
    what: `the kind of ${shorten(node.getText())} cannot be determined from the code`,
    why: 'the permissions for this call are missing from the role',
    fix: 'give the expression a specific type, or add /** @rbac groups=… resources=… verbs=… */',
  });
  return [];
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}

/** Returns the kinds of a typed client, from its creation (`client.resource(Pod)`) or from its type. */
function kindsOfClient(client: ts.Expression, call: ts.CallExpression, search: CallSearch): readonly KindRef[] {
  const { view, resolver } = search;
  if (ts.isCallExpression(client)) {
    const [argument] = client.arguments;
    const kind = argument && resolver.ofExpression(argument);
    if (kind !== undefined) return [kind];
  }
  const type = view.checker.getTypeAtLocation(client);
  const [of] = view.checker.getTypeArguments(type as ts.TypeReference); // clients are generic interfaces
  const found = of === undefined ? [undefined] : resolver.ofType(of);
  if (found.length === 0 || found.includes(undefined)) unknownKind(call, search);
  return found.filter((kind) => kind !== undefined);
}

function subresourceRules(
  client: ts.Expression,
  {
    call,
    verbs,
    search,
  }: { readonly call: ts.CallExpression; readonly verbs: readonly string[]; readonly search: CallSearch },
): readonly RbacRule[] {
  // Applying a subresource never creates an object, so it only needs `patch`.
  const needed = verbs.includes('patch') ? ['patch'] : verbs;
  if (ts.isPropertyAccessExpression(client) && client.name.text === 'status') {
    return kindsOfClient(client.expression, call, search).map((kind) => subresourceRule(kind, 'status', ...needed));
  }
  if (ts.isCallExpression(client) && ts.isPropertyAccessExpression(client.expression)) {
    const [argument] = client.arguments;
    const name = argument && constantOf(search.view.checker, argument)?.value;
    if (typeof name === 'string') {
      const kinds = kindsOfClient(client.expression.expression, call, search);
      return kinds.map((kind) => subresourceRule(kind, name, ...needed));
    }
  }
  return unknownKind(client, search);
}
