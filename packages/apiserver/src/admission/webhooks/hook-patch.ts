import { Buffer } from 'node:buffer';
import { applyJsonPatch, JsonPatchError } from '@kubewright/apimachinery';
import { sameJson } from '@kubewright/apimachinery/internal';
import { BodyReadError, parseJson } from '@kubewright/schema';
import { DecodeError, decodeValue } from '@kubewright/schema/internal';
import type { Draft } from '../../registry/strategy.ts';
import { webhookFault } from '../../webhooks/webhook-fault.ts';
import type { AdmissionResponse } from './admission-review.ts';
import type { HookRequest } from './hook-call.ts';
import { copyOf, type Version } from './reviewed-request.ts';
import { annotatePatch } from './webhook-annotations.ts';
import { WebhookFailure } from './webhook-failure.ts';

/**
 * Applies a mutating webhook's patch to the object that it reviewed, then decodes the result and fills in defaults.
 *
 * @throws WebhookFailure when the patch cannot be parsed, StatusError 500 when it cannot be applied
 */
export function applyHookPatch(
  question: HookRequest,
  response: AdmissionResponse,
): { readonly object: Draft; readonly changed: boolean } | undefined {
  const { hook, objects, version } = question;
  const { patch, patchType } = response;
  if (patch === undefined || patch.length === 0) return undefined;
  const operations = readPatch(patch, hook.name);
  if (operations.length === 0) return undefined;
  if (objects.object === undefined) {
    throw webhookFault(
      `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  }
  if (patchType !== 'JSONPatch') {
    throw new WebhookFailure(hook.name, `unsupported patch type ${JSON.stringify(patchType)}`, { httpStatus: 400 });
  }
  const decoded = decodePatched(patched(objects.object, operations), version);
  annotatePatch(question, operations);
  const changed = !sameJson(decoded, copyOf(objects.object));
  if (version.type.kind === version.definition.kind) version.definition.strategy.applyDefaults?.(decoded);
  return { object: decoded, changed };
}

function readPatch(bytes: Uint8Array, webhook: string): readonly unknown[] {
  const undecodable = (detail: string, cause?: unknown): WebhookFailure => {
    const reason = `received undecodable patch in webhook response: ${detail}`;
    return new WebhookFailure(webhook, reason, { httpStatus: 503, cause });
  };
  let value: unknown;
  try {
    value = parseJson(bytes).value;
  } catch (cause) {
    if (!(cause instanceof BodyReadError)) throw cause;
    const first = Buffer.from(bytes).toString('utf8').trim().charAt(0);
    throw undecodable(`invalid character '${first}' looking for beginning of value`, cause);
  }
  if (value === null) return [];
  if (Array.isArray(value)) return value as readonly unknown[];
  throw undecodable(`json: cannot unmarshal ${typeof value} into Go value of type jsonpatch.Patch`);
}

function patched(object: Draft, operations: readonly unknown[]): unknown {
  try {
    return applyJsonPatch(copyOf(object), operations);
  } catch (cause) {
    // Upstream's patch library for webhooks does not quote the path.
    if (cause instanceof JsonPatchError) throw webhookFault(cause.message.replace(/(path: )"([^"]*)"/, '$1$2'), cause);
    throw cause;
  }
}

/** Decodes the patched value as an object of its type. Like Go's decoder, drops unknown fields. */
export function decodePatched(value: unknown, { type, definition }: Version): Draft {
  const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw webhookFault(`couldn't get version/kind; json parse error: the patched value is not a JSON object`);
  }
  const { kind = '', apiVersion: given = '' } = value as { readonly kind?: unknown; readonly apiVersion?: unknown };
  if (definition.custom && kind === '') {
    throw webhookFault(`Object 'Kind' is missing in '${JSON.stringify(value)}'`);
  }
  if ((kind !== '' && kind !== type.kind) || (given !== '' && given !== apiVersion)) {
    throw webhookFault(`a webhook changed ${apiVersion} ${type.kind} to ${String(given)} ${String(kind)}`);
  }
  // The definition has no schema for subresources of a different kind, such as Scale.
  if (type.kind !== definition.kind) return { ...(value as Draft), kind: type.kind, apiVersion };
  try {
    const decoded = definition.decode ? definition.decode(value, {}) : decodeValue(definition.schema, value, {});
    const { metadata, ...rest } = decoded.value as Draft;
    return { ...rest, kind: type.kind, apiVersion, metadata: metadata ?? {} };
  } catch (cause) {
    if (cause instanceof DecodeError) throw webhookFault(cause.message, cause);
    throw cause;
  }
}
