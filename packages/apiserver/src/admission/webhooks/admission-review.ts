import { Buffer } from 'node:buffer';
import type { KubernetesObject } from '@kubewright/apimachinery';
import type { Draft } from '../../registry/strategy.ts';
import { checkReviewKind, shownType } from '../../webhooks/review-kind.ts';
import { WebhookCallError } from '../../webhooks/webhook-call-error.ts';
import type { WebhookReply } from '../../webhooks/webhook-reply.ts';
import type { AdmissionAttributes } from '../admission-plugin.ts';
import { namespaceOf, requestVersion, type Version, type VersionedObjects } from './reviewed-request.ts';

const admissionGroup = 'admission.k8s.io';

/** Builds an AdmissionRequest without its objects, for match conditions; reviews add the objects. */
export function admissionRequest(attributes: AdmissionAttributes, version: Version): Readonly<Record<string, unknown>> {
  const { definition, subresource, operation, user, dryRun } = attributes;
  const requested = requestVersion(attributes);
  const sub = subresource === '' ? {} : { subResource: subresource };
  const requestSub = subresource === '' ? {} : { requestSubResource: subresource };
  const name = attributes.name === '' ? (attributes.object?.metadata?.name ?? '') : attributes.name;
  const { username, uid, groups, extra } = user;
  const namespace = namespaceOf(attributes);
  return {
    kind: typeOf(version.type),
    resource: resourceOf(version.definition),
    ...sub,
    requestKind: typeOf(requested.type),
    requestResource: resourceOf(definition),
    ...requestSub,
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation,
    userInfo: {
      ...(username !== '' && { username }),
      ...(uid && { uid }),
      ...(groups.length > 0 && { groups }),
      ...(extra && Object.keys(extra).length > 0 && { extra }),
    },
    dryRun,
    options: optionsOf(attributes),
  };
}

const optionKinds: Readonly<Record<string, string>> = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
};

function optionsOf({ operation, options }: AdmissionAttributes): object | null {
  const kind = optionKinds[operation];
  return kind === undefined ? null : { kind, apiVersion: 'meta.k8s.io/v1', ...options };
}

function typeOf({ group, version, kind }: Version['type']): object {
  return { group, version, kind };
}

function resourceOf({ group, version, resource }: Version['definition']): object {
  return { group, version, resource };
}

/** Builds the whole AdmissionReview. */
export function admissionReview(
  request: Readonly<Record<string, unknown>>,
  options: { readonly uid: string; readonly version: string; readonly objects: VersionedObjects },
): object {
  const { uid, version, objects } = options;
  const { dryRun, options: operationOptions, ...rest } = request;
  return {
    kind: 'AdmissionReview',
    apiVersion: `${admissionGroup}/${version}`,
    request: {
      uid,
      ...rest,
      object: shownObject(objects.object),
      oldObject: shownObject(objects.oldObject),
      dryRun,
      options: operationOptions,
    },
  };
}

/** Returns the object with its kind and apiVersion first, as readers expect. */
function shownObject(object: Draft | KubernetesObject | undefined): object | null {
  if (object === undefined) return null;
  const { kind, apiVersion, ...rest } = object;
  return { kind, apiVersion, ...rest };
}

/** The fields of a webhook's response that the server uses. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  readonly status: Readonly<Record<string, unknown>> | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
  readonly patch: Uint8Array | undefined;
  readonly patchType: string;
}

/**
 * Parses and checks a webhook's response.
 *
 * @throws WebhookCallError with upstream's message (`VerifyAdmissionResponse`, 1.36)
 */
export function readAdmissionResponse(
  reply: WebhookReply,
  sent: { readonly uid: string; readonly version: string; readonly mutating: boolean },
): AdmissionResponse {
  checkReviewKind(reply, { group: admissionGroup, version: sent.version, kind: 'AdmissionReview' });
  const response = field(reply, 'AdmissionReview', { name: 'response', type: 'object' });
  const read = <T>(name: string, type: 'string' | 'boolean' | 'object'): T | undefined =>
    field(response ?? {}, 'AdmissionResponse.response', { name, type }) as T | undefined;
  const uid = read<string>('uid', 'string') ?? '';
  const allowed = read<boolean>('allowed', 'boolean') ?? false;
  const patch = decodePatch(read<string>('patch', 'string'));
  const patchType = read<string>('patchType', 'string');
  const status = read<Readonly<Record<string, unknown>>>('status', 'object');
  const warnings = textsOf(response?.['warnings']);
  const auditAnnotations = textMembers(response?.['auditAnnotations']);
  if (response === undefined) throw invalidResponse('webhook response was absent');
  if (sent.version === 'v1beta1') {
    // As in upstream, the UID, the type and the patch type are not checked for v1beta1.
    return {
      allowed,
      status,
      warnings,
      auditAnnotations,
      patch: sent.mutating ? patch : undefined,
      patchType: 'JSONPatch',
    };
  }
  if (uid !== sent.uid) {
    throw invalidResponse(`expected response.uid=${JSON.stringify(sent.uid)}, got ${JSON.stringify(uid)}`);
  }
  if (shownType(reply) !== `${admissionGroup}/v1, Kind=AdmissionReview`) {
    throw invalidResponse(
      `expected webhook response of ${admissionGroup}/v1, Kind=AdmissionReview, got ${shownType(reply)}`,
    );
  }
  checkPatch({ patch, patchType }, sent.mutating);
  return { allowed, status, warnings, auditAnnotations, patch, patchType: patchType ?? '' };
}

function checkPatch(
  { patch, patchType }: { readonly patch: Uint8Array | undefined; readonly patchType: string | undefined },
  mutating: boolean,
): void {
  const has = patch !== undefined && patch.length > 0;
  if (!mutating) {
    if (has) throw invalidResponse('validating webhook may not return response.patch');
    if (patchType !== undefined) throw invalidResponse('validating webhook may not return response.patchType');
    return;
  }
  if (has && patchType === undefined) {
    throw invalidResponse('webhook returned response.patch but not response.patchType');
  }
  if (!has && patchType !== undefined) {
    throw invalidResponse('webhook returned response.patchType but not response.patch');
  }
  if (patchType === '') throw invalidResponse('webhook returned invalid response.patchType of ""');
}

/**
 * A response that was parsed but is invalid; upstream distinguishes this case from a response that cannot be parsed.
 */
export class InvalidResponseError extends WebhookCallError {
  override readonly name: 'WebhookCallError' = 'WebhookCallError';
}

function invalidResponse(message: string): InvalidResponseError {
  return new InvalidResponseError(message);
}

const goTypes: Readonly<Record<string, string>> = {
  boolean: 'bool',
  object: 'v1.AdmissionResponse',
  string: 'string',
};

function field(
  holder: Readonly<Record<string, unknown>>,
  struct: string,
  { name, type }: { readonly name: string; readonly type: 'string' | 'boolean' | 'object' },
): Readonly<Record<string, unknown>> | undefined {
  const value = Object.hasOwn(holder, name) ? holder[name] : undefined;
  if (value === undefined || value === null) return undefined;
  const given = Array.isArray(value) ? 'array' : typeof value;
  // The caller relies on `type`, which has just been checked.
  if (given === type) return value as Readonly<Record<string, unknown>>;
  const what = given === 'boolean' ? 'bool' : given;
  const message = `json: cannot unmarshal ${what} into Go struct field ${struct}.${name} of type ${goTypes[type]}`;
  throw new WebhookCallError(message);
}

function decodePatch(text: string | undefined): Uint8Array | undefined {
  if (text === undefined) return undefined;
  const wrong = /[^A-Za-z0-9+/=\r\n]/.exec(text);
  if (wrong) throw new WebhookCallError(`illegal base64 data at input byte ${wrong.index}`);
  return Buffer.from(text, 'base64');
}

function textMembers(value: unknown): Readonly<Record<string, string>> {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(members.filter((member): member is [string, string] => typeof member[1] === 'string'));
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
