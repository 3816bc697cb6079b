import { defined } from '../json/defined.ts';
import { quote } from '../text/quote.ts';
import { causesOf, type FieldError, formatFieldErrors } from '../validation/field-error.ts';
import type { StatusDetails, StatusReason } from './status.ts';
import { StatusError } from './status-error.ts';

/** The resource that a failure is about. `group` is empty for the core group. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** The kind that a failure is about. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/**
 * Creates the 404 error `pods "web" not found`.
 *
 * @example
 * ```ts
 * const missing: ClientInterceptor = async (call, next) => {
 *   if (call.verb === 'get') throw notFound({ group: '', resource: 'pods' }, 'web-0');
 *   return next(call);
 * };
 * ```
 */
export function notFound(resource: GroupResource, name: string): StatusError {
  const message = `${formatGroupResource(resource)} ${quote(name)} not found`;
  return failure({ code: 404, reason: 'NotFound', message, details: detailsOf(resource, name) });
}

/**
 * Creates the 409 error `pods "web" already exists`.
 *
 * @example
 * ```ts
 * const taken: ClientInterceptor = async (call, next) => {
 *   if (call.verb === 'create') throw alreadyExists({ group: '', resource: 'pods' }, 'web-0');
 *   return next(call);
 * };
 * ```
 */
export function alreadyExists(resource: GroupResource, name: string): StatusError {
  const message = `${formatGroupResource(resource)} ${quote(name)} already exists`;
  return failure({ code: 409, reason: 'AlreadyExists', message, details: detailsOf(resource, name) });
}

/**
 * Creates the 409 error `Operation cannot be fulfilled on pods "web": <cause>`, which tells the client to read again and retry.
 *
 * @example
 * ```ts
 * const changedMeanwhile: ClientInterceptor = async (call, next) => {
 *   if (call.verb === 'update') throw conflict({ group: 'apps', resource: 'deployments' }, 'web', 'the object was modified');
 *   return next(call);
 * };
 * ```
 */
export function conflict(resource: GroupResource, name: string, cause: string): StatusError {
  const message = `Operation cannot be fulfilled on ${formatGroupResource(resource)} ${quote(name)}: ${cause}`;
  return failure({ code: 409, reason: 'Conflict', message, details: detailsOf(resource, name) });
}

/**
 * Creates the 422 error `Deployment.apps "web" is invalid: [spec.replicas: Invalid value: …, …]`, with one cause for each field
 * error.
 *
 * @example
 * ```ts
 * const error = invalid({ group: 'example.com', kind: 'Website' }, 'home', [
 *   invalidField('spec.replicas', -1, 'must be at least 0'),
 * ]);
 * ```
 */
export function invalid(kind: GroupKind, name: string, errors: readonly FieldError[]): StatusError {
  const full = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const head = `${full} ${quote(name)} is invalid`;
  const message = errors.length === 0 ? head : `${head}: ${formatFieldErrors(errors)}`;
  const details: StatusDetails = {
    ...nonEmpty({ name, group: kind.group, kind: kind.kind }),
    ...(errors.length === 0 ? {} : { causes: causesOf(errors) }),
  };
  return failure({ code: 422, reason: 'Invalid', message, details });
}

/**
 * Creates the 403 error `pods "web" is forbidden: <why>`; without a name, `pods is forbidden: <why>`.
 *
 * @example
 * ```ts
 * const noSecrets: ClientInterceptor = async (call, next) => {
 *   if (call.target?.resource === 'secrets') throw forbidden({ group: '', resource: 'secrets' }, '', 'missing role');
 *   return next(call);
 * };
 * ```
 */
export function forbidden(resource: GroupResource, name: string, why: string): StatusError {
  const full = formatGroupResource(resource);
  const subject =
    full === '' ? 'forbidden' : name === '' ? `${full} is forbidden` : `${full} ${quote(name)} is forbidden`;
  const message = `${subject}: ${why}`;
  return failure({ code: 403, reason: 'Forbidden', message, details: detailsOf(resource, name) });
}

/**
 * Creates a 400 error for a malformed request.
 *
 * @example
 * ```ts
 * function limitOf(query: URLSearchParams): number {
 *   const limit = Number(query.get('limit') ?? 0);
 *   if (!Number.isInteger(limit)) throw badRequest('limit must be an integer');
 *   return limit;
 * }
 * ```
 */
export function badRequest(message: string, options: { readonly cause?: unknown } = {}): StatusError {
  return failure({ code: 400, reason: 'BadRequest', message }, options);
}

/** Formats a resource as the API's messages do: `deployments.apps`, `pods`. */
function formatGroupResource(resource: GroupResource): string {
  return resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`;
}

interface Failure {
  readonly code: number;
  readonly reason: StatusReason;
  readonly message: string;
  readonly details?: StatusDetails;
}

function failure(parts: Failure, options?: { readonly cause?: unknown }): StatusError {
  const { code, reason, message, details } = parts;
  return new StatusError(
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      ...defined({ details }),
      code,
    },
    options,
  );
}

function detailsOf(resource: GroupResource, name: string): StatusDetails {
  return nonEmpty({ name, group: resource.group, kind: resource.resource });
}

function nonEmpty(details: { readonly name: string; readonly group: string; readonly kind: string }): StatusDetails {
  return {
    ...(details.name === '' ? {} : { name: details.name }),
    ...(details.group === '' ? {} : { group: details.group }),
    ...(details.kind === '' ? {} : { kind: details.kind }),
  };
}
