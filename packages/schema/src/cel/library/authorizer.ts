import { fail } from '../errors.ts';
import { type CelType, opaqueOf } from '../types/cel-type.ts';
import { CelOpaque } from '../values/opaque.ts';
import { type CallContext, type Library, overload } from './library.ts';

/** An access check: an action, and the user that would perform it (the request's user or a service account). */
export interface AccessRequest {
  /** The service account to authorize. @defaultValue the user of the request */
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

/** The authorizer's decision. */
export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
  /** The reason why the authorizer could not decide. */
  readonly error?: string;
}

/**
 * Authorizes a request synchronously. The function may throw if the decision is not available yet; the caller then
 * obtains the decision and evaluates the expression again.
 */
export type AccessChecker = (request: AccessRequest) => AccessDecision;

const prefix = 'kubernetes.authorization';
const authorizerType: CelType = opaqueOf(`${prefix}.Authorizer`);
const resourceCheckType: CelType = opaqueOf(`${prefix}.ResourceCheck`);
const pathCheckType: CelType = opaqueOf(`${prefix}.PathCheck`);
const groupCheckType: CelType = opaqueOf(`${prefix}.GroupCheck`);
const decisionType: CelType = opaqueOf(`${prefix}.Decision`);

/** The cost of one authorization check, as in upstream. */
const checkCost = 350_000;

/** Base class of the authorizer's values. The values have only methods, and each is equal only to itself. */
abstract class Receiver extends CelOpaque {
  equals(other: unknown): boolean {
    return other === this;
  }
}

/** The variable `authorizer`. */
export class AuthorizerValue extends Receiver {
  /** The CEL type of these values. */
  static readonly celType: CelType = authorizerType;
  readonly type: CelType = authorizerType;
  readonly authorize: AccessChecker;

  constructor(authorize: AccessChecker) {
    super();
    this.authorize = authorize;
  }

  as(serviceAccount: NonNullable<AccessRequest['serviceAccount']>): AuthorizerValue {
    return new AuthorizerValue((request) => this.authorize({ ...request, serviceAccount }));
  }
}

/** The variable `authorizer.requestResource`, and the result of `authorizer.group(…).resource(…)`. */
export class ResourceCheckValue extends Receiver {
  /** The CEL type of these values. */
  static readonly celType: CelType = resourceCheckType;
  readonly type: CelType = resourceCheckType;
  readonly authorize: AccessChecker;
  readonly resource: AccessedResource;

  constructor(authorize: AccessChecker, resource: AccessedResource) {
    super();
    this.authorize = authorize;
    this.resource = resource;
  }

  with(changes: Partial<AccessedResource>): ResourceCheckValue {
    return new ResourceCheckValue(this.authorize, { ...this.resource, ...changes });
  }
}

class PathCheck extends Receiver {
  readonly type: CelType = pathCheckType;
  readonly authorize: AccessChecker;
  readonly path: string;

  constructor(authorize: AccessChecker, path: string) {
    super();
    this.authorize = authorize;
    this.path = path;
  }
}

class GroupCheck extends Receiver {
  readonly type: CelType = groupCheckType;
  readonly authorize: AccessChecker;
  readonly group: string;

  constructor(authorize: AccessChecker, group: string) {
    super();
    this.authorize = authorize;
    this.group = group;
  }
}

class Decision extends Receiver {
  readonly type: CelType = decisionType;
  readonly decision: AccessDecision;

  constructor(decision: AccessDecision) {
    super();
    this.decision = decision;
  }
}

/**
 * Authorizer checks: `authorizer.group('apps').resource('deployments').namespace('x').check('create').allowed()`. Mirrors
 * `library.Authz` and `AuthzSelectors` (1.36). Field and label selectors are accepted but do not affect decisions, because
 * RBAC roles have no selectors.
 */
export const authorizerLibrary: Library = {
  name: 'kubernetes.authz',
  types: [authorizerType, pathCheckType, groupCheckType, resourceCheckType, decisionType].map((type) => [
    type.name,
    type,
  ]),
  overloads: [
    overload<[AuthorizerValue, string]>(
      `${prefix}.Authorizer.path(string) ${prefix}.PathCheck`,
      (_, { authorize }, path) =>
        path.trim() === '' ? fail('path must not be empty') : new PathCheck(authorize, path),
    ),
    overload<[AuthorizerValue, string]>(
      `${prefix}.Authorizer.group(string) ${prefix}.GroupCheck`,
      (_, { authorize }, group) => new GroupCheck(authorize, group),
    ),
    overload<[AuthorizerValue, string, string]>(
      `${prefix}.Authorizer.serviceAccount(string, string) ${prefix}.Authorizer`,
      (_, authorizer, namespace, name) => authorizer.as(checkedAccount(namespace, name)),
    ),
    overload<[GroupCheck, string]>(
      `${prefix}.GroupCheck.resource(string) ${prefix}.ResourceCheck`,
      (_, { authorize, group }, resource) =>
        resource.trim() === ''
          ? fail('resource must not be empty')
          : new ResourceCheckValue(authorize, { group, resource, subresource: '', namespace: '', name: '' }),
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
      (context, { authorize, resource }, verb) => decide(context, authorize, { verb, resource }),
    ),
    overload<[PathCheck, string]>(
      `${prefix}.PathCheck.check(string) ${prefix}.Decision`,
      (context, { authorize, path }, verb) => decide(context, authorize, { verb, path }),
    ),
    overload<[Decision]>(`${prefix}.Decision.allowed() bool`, (_, { decision }) => decision.allowed),
    overload<[Decision]>(`${prefix}.Decision.reason() string`, (_, { decision }) => decision.reason),
    overload<[Decision]>(`${prefix}.Decision.errored() bool`, (_, { decision }) => decision.error !== undefined),
    overload<[Decision]>(`${prefix}.Decision.error() string`, (_, { decision }) => decision.error ?? ''),
  ],
};

function decide(context: CallContext, authorize: AccessChecker, request: AccessRequest): Decision {
  context.charge(checkCost);
  return new Decision(authorize(request));
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

function checkedAccount(namespace: string, name: string): { readonly namespace: string; readonly name: string } {
  if (name.length > 253 || !subdomain.test(name)) return fail('Invalid service account name');
  if (namespace.length > 63 || !label.test(namespace)) return fail('Invalid service account namespace');
  return { namespace, name };
}
