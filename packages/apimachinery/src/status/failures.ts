import { quote } from '../text/quote.ts';
import { causesOf, type FieldError, formatFieldErrors } from '../validation/field-error.ts';
import type { StatusCause, StatusDetails, StatusReason } from './status.ts';
import { StatusError } from './status-error.ts';

/** The collection that a failure concerns. `group` is empty for the core group. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** The kind that a failure concerns. */
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

/** 404 for a path or a collection that does not exist: the response for a kind that is not served. */
export function pathNotFound(): StatusError {
  const message = 'the server could not find the requested resource';
  return failure({ code: 404, reason: 'NotFound', message, details: {} });
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

/** 409 from a server-side apply: one cause for each field that another manager owns. */
export function applyConflict(message: string, causes: readonly StatusCause[]): StatusError {
  return failure({ code: 409, reason: 'Conflict', message, details: { causes } });
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

/** 401. @param message - @defaultValue `Unauthorized`, the API server's response to unknown credentials */
export function unauthorized(message = 'Unauthorized'): StatusError {
  return failure({ code: 401, reason: 'Unauthorized', message });
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

/** 405: `<action> is not supported on resources of kind "pods"`. */
export function methodNotAllowed(resource: GroupResource, action: string): StatusError {
  const message = `${action} is not supported on resources of kind ${quote(formatGroupResource(resource))}`;
  return failure({ code: 405, reason: 'MethodNotAllowed', message, details: detailsOf(resource, '') });
}

/** 405 for a path that supports only other methods. */
export function methodNotSupported(): StatusError {
  const message = 'the server does not allow this method on the requested resource';
  return failure({ code: 405, reason: 'MethodNotAllowed', message, details: {} });
}

/** 406: the server supports none of the media types that the client accepts. */
export function notAcceptable(accepted: readonly string[]): StatusError {
  const message = `only the following media types are accepted: ${accepted.join(', ')}`;
  return failure({ code: 406, reason: 'NotAcceptable', message });
}

/** 415: the server does not support the media type of the body. */
export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return failure({ code: 415, reason: 'UnsupportedMediaType', message });
}

/** 422 without causes: the API's response to a JSON patch that does not apply. */
export function unprocessable(options: { readonly cause?: unknown } = {}): StatusError {
  const message = 'the server rejected our request due to an error in our request';
  return failure({ code: 422, reason: 'Invalid', message, details: {} }, options);
}

/** 413: `Request entity too large: <limit>`. */
export function requestEntityTooLarge(limit: string): StatusError {
  const message = `Request entity too large: ${limit}`;
  return failure({ code: 413, reason: 'RequestEntityTooLarge', message });
}

/** 410 `Expired`: the requested version is no longer kept; list again. */
export function expired(message: string): StatusError {
  return failure({ code: 410, reason: 'Expired', message });
}

/** 429: retry after the given number of seconds. */
export function tooManyRequests(
  message: string,
  options: { readonly retryAfterSeconds?: number; readonly causes?: readonly StatusCause[] } = {},
): StatusError {
  return failure({ code: 429, reason: 'TooManyRequests', message, details: { ...options } });
}

/** 500: `Internal error occurred: <message>`. */
export function internalError(message: string, options: { readonly cause?: unknown } = {}): StatusError {
  const details: StatusDetails = { causes: [{ message }] };
  return failure(
    { code: 500, reason: 'InternalError', message: `Internal error occurred: ${message}`, details },
    options,
  );
}

/** Formats a collection as the API's messages do: `deployments.apps`, `pods`. */
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
      ...(details === undefined ? {} : { details }),
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
