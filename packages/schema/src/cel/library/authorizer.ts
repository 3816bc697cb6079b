import { fail } from '../errors.ts';
import { type CelType, opaqueOf } from '../types/cel-type.ts';
import { CelOpaque } from '../values/opaque.ts';
import { type CallContext, type Library, overload } from './library.ts';

/** A question to the authorizer: may the request's user, or a service account, do this? */
export interface AccessRequest {
  /** @defaultValue the user of the request */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
  readonly verb: string;
  /** Path of a non-resource request. */
  readonly path?: string;
  readonly resource?: AccessedResource;
}

/** The resource in an {@link AccessRequest}. */
export interface AccessedResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The authorizer's answer. */
export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
  /** The reason why it could not decide. */
  readonly error?: string;
}

/**
 * Function that answers a question synchronously. A caller that has to wait for the answer throws, and evaluates the
 * expression again once it has the answer.
 */
export type AccessChecker = (question: AccessRequest) => AccessDecision;

const prefix = 'kubernetes.authorization';
const AUTHORIZER_TYPE: CelType = opaqueOf(`${prefix}.Authorizer`);
const RESOURCE_CHECK_TYPE: CelType = opaqueOf(`${prefix}.ResourceCheck`);
const PATH_CHECK_TYPE: CelType = opaqueOf(`${prefix}.PathCheck`);
const GROUP_CHECK_TYPE: CelType = opaqueOf(`${prefix}.GroupCheck`);
const DECISION_TYPE: CelType = opaqueOf(`${prefix}.Decision`);

/** The cost of one question, the same as upstream's. */
const questionCost = 350_000;

/** A value that only has methods; equal only to itself. */
abstract class Receiver extends CelOpaque {
  equals(other: unknown): boolean {
    return other === this;
  }
}

/** The variable `authorizer`. */
export class AuthorizerValue extends Receiver {
  /** The type of every such value. */
  static readonly celType: CelType = AUTHORIZER_TYPE;
  readonly type: CelType = AUTHORIZER_TYPE;
  readonly ask: AccessChecker;

  constructor(ask: AccessChecker) {
    super();
    this.ask = ask;
  }

  as(serviceAccount: NonNullable<AccessRequest['serviceAccount']>): AuthorizerValue {
    return new AuthorizerValue((question) => this.ask({ ...question, serviceAccount }));
  }
}

/** The variable `authorizer.requestResource`, and the result of `authorizer.group(…).resource(…)`. */
export class ResourceCheckValue extends Receiver {
  /** The type of every such value. */
  static readonly celType: CelType = RESOURCE_CHECK_TYPE;
  readonly type: CelType = RESOURCE_CHECK_TYPE;
  readonly ask: AccessChecker;
  readonly resource: AccessedResource;

  constructor(ask: AccessChecker, resource: AccessedResource) {
    super();
    this.ask = ask;
    this.resource = resource;
  }

  with(changes: Partial<AccessedResource>): ResourceCheckValue {
    return new ResourceCheckValue(this.ask, { ...this.resource, ...changes });
  }
}

class PathCheck extends Receiver {
  readonly type: CelType = PATH_CHECK_TYPE;
  readonly ask: AccessChecker;
  readonly path: string;

  constructor(ask: AccessChecker, path: string) {
    super();
    this.ask = ask;
    this.path = path;
  }
}

class GroupCheck extends Receiver {
  readonly type: CelType = GROUP_CHECK_TYPE;
  readonly ask: AccessChecker;
  readonly group: string;

  constructor(ask: AccessChecker, group: string) {
    super();
    this.ask = ask;
    this.group = group;
  }
}

class Decision extends Receiver {
  readonly type: CelType = DECISION_TYPE;
  readonly answer: AccessDecision;

  constructor(answer: AccessDecision) {
    super();
    this.answer = answer;
  }
}

/**
 * Authorizer checks: `authorizer.group('apps').resource('deployments').namespace('x').check('create').allowed()`.
 * Mirrors `library.Authz` and `AuthzSelectors` (1.36). Roles have no selectors, so selectors do not change an answer.
 */
export const AUTHORIZER: Library = {
  name: 'kubernetes.authz',
  types: [AUTHORIZER_TYPE, PATH_CHECK_TYPE, GROUP_CHECK_TYPE, RESOURCE_CHECK_TYPE, DECISION_TYPE].map((type) => [
    type.name,
    type,
  ]),
  overloads: [
    overload<[AuthorizerValue, string]>(`${prefix}.Authorizer.path(string) ${prefix}.PathCheck`, (_, { ask }, path) =>
      path.trim() === '' ? fail('path must not be empty') : new PathCheck(ask, path),
    ),
    overload<[AuthorizerValue, string]>(
      `${prefix}.Authorizer.group(string) ${prefix}.GroupCheck`,
      (_, { ask }, group) => new GroupCheck(ask, group),
    ),
    overload<[AuthorizerValue, string, string]>(
      `${prefix}.Authorizer.serviceAccount(string, string) ${prefix}.Authorizer`,
      (_, authorizer, namespace, name) => authorizer.as(checkedAccount(namespace, name)),
    ),
    overload<[GroupCheck, string]>(
      `${prefix}.GroupCheck.resource(string) ${prefix}.ResourceCheck`,
      (_, { ask, group }, resource) =>
        resource.trim() === ''
          ? fail('resource must not be empty')
          : new ResourceCheckValue(ask, { group, resource, subresource: '', namespace: '', name: '' }),
    ),
    ...(['subresource', 'namespace', 'name'] as const).map((field) =>
      overload<[ResourceCheckValue, string]>(
        `${prefix}.ResourceCheck.${field}(string) ${prefix}.ResourceCheck`,
        (_, check, value) => check.with({ [field]: value }),
      ),
    ),
    ...['fieldSelector', 'labelSelector'].map((name) =>
      overload<[ResourceCheckValue, string]>(
        `${prefix}.ResourceCheck.${name}(string) ${prefix}.ResourceCheck`,
        (_, check) => check.with({}),
      ),
    ),
    overload<[ResourceCheckValue, string]>(
      `${prefix}.ResourceCheck.check(string) ${prefix}.Decision`,
      (context, { ask, resource }, verb) => decide(context, ask, { verb, resource }),
    ),
    overload<[PathCheck, string]>(
      `${prefix}.PathCheck.check(string) ${prefix}.Decision`,
      (context, { ask, path }, verb) => decide(context, ask, { verb, path }),
    ),
    overload<[Decision]>(`${prefix}.Decision.allowed() bool`, (_, { answer }) => answer.allowed),
    overload<[Decision]>(`${prefix}.Decision.reason() string`, (_, { answer }) => answer.reason),
    overload<[Decision]>(`${prefix}.Decision.errored() bool`, (_, { answer }) => answer.error !== undefined),
    overload<[Decision]>(`${prefix}.Decision.error() string`, (_, { answer }) => answer.error ?? ''),
  ],
};

function decide(context: CallContext, ask: AccessChecker, question: AccessRequest): Decision {
  context.charge(questionCost);
  return new Decision(ask(question));
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

function checkedAccount(namespace: string, name: string): { readonly namespace: string; readonly name: string } {
  if (name.length > 253 || !subdomain.test(name)) return fail('Invalid service account name');
  if (namespace.length > 63 || !label.test(namespace)) return fail('Invalid service account namespace');
  return { namespace, name };
}
