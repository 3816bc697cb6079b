import { type Clock, type Status, StatusError } from '@kubewright/apimachinery';
import { parseExactJson, stringifyJson } from '@kubewright/apimachinery/internal';
import { formatYaml } from '@kubewright/schema/internal';
import type { ApiRequest, ApiResponse } from '../http/api-request.ts';
import { negotiateOutput, type OutputFormat, type ProtobufCodec } from '../negotiation/index.ts';
import { Pacer } from '../registry/pacer.ts';
import type { Page } from '../registry/read.ts';
import type { ServedForm } from '../registry/served-form.ts';
import { CommitTooLargeError, StorageFullError, type StoredObject } from '../storage/storage.ts';
import { StorageNotReadyError } from '../storage/storage-not-ready-error.ts';
import {
  encodeParts,
  encodeTable,
  type IncludeObject,
  isProtobufFormat,
  type ListParts,
  partialJson,
  partialParts,
  protobufList,
  protobufObject,
  protobufOfJson,
  tableParts,
} from '../tables/index.ts';
import { encodeStyled } from './styled-list.ts';

const decoder = new TextDecoder();

/** Builds a response with one object in the form that the client accepts. */
export function objectResponse(
  form: ServedForm,
  stored: StoredObject,
  options: { readonly status: number; readonly format: OutputFormat; readonly include: IncludeObject; now(): number },
): ApiResponse {
  const { status, format, include } = options;
  if (format.mismatch) throw format.mismatch;
  if (isProtobufFormat(format)) return ready(status, protobufObject(form, stored, format), format);
  return jsonResponse(status, objectBytes(form, stored, { format, include, nowMs: options.now() }), format);
}

function objectBytes(
  form: ServedForm,
  stored: StoredObject,
  {
    format,
    include,
    nowMs,
  }: { readonly format: OutputFormat; readonly include: IncludeObject; readonly nowMs: number },
): Uint8Array {
  if (format.as === undefined) return form.bytes(stored);
  if (format.as !== 'Table') return Buffer.from(partialJson(form, stored, format.asVersion));
  const { resourceVersion } = form.object(stored).metadata;
  const metadata = JSON.stringify({ resourceVersion });
  return encodeTable(form, stored, { include, nowMs, metadata, version: format.asVersion });
}

/**
 * Builds a response with a page of a list. Copies items that are stored in the served version. Re-encodes other items, and yields
 * to other requests in between.
 */
export async function listResponse(
  form: ServedForm,
  page: Page,
  options: { readonly format: OutputFormat; readonly include: IncludeObject; readonly clock: Clock },
): Promise<ApiResponse> {
  const { format, include, clock } = options;
  if (format.mismatch) throw format.mismatch;
  const pacer = new Pacer(clock);
  const listMeta = {
    resourceVersion: String(page.revision),
    continue: page.continueToken,
    remainingItemCount: page.remaining,
  };
  if (isProtobufFormat(format)) {
    return ready(200, await protobufList(form, page.objects, { format, metadata: listMeta, pacer }), format);
  }
  const metadata = JSON.stringify(listMeta);
  const parts = partsOf(form, { as: format.as, version: format.asVersion, include, metadata, nowMs: clock.now() });
  if (format.pretty || format.mediaType === 'application/yaml') {
    return ready(200, await encodeStyled(page.objects, { parts, format, pacer }), format);
  }
  if (format.as !== undefined) return ready(200, await encodeParts(page.objects, { parts, pacer }), format);
  return ready(200, await encodeList(form, page.objects, { head: parts.head, pacer }), format);
}

function partsOf(
  form: ServedForm,
  table: {
    readonly as: OutputFormat['as'];
    readonly version: OutputFormat['asVersion'];
    readonly include: IncludeObject;
    readonly metadata: string;
    readonly nowMs: number;
  },
): ListParts {
  if (table.as === 'Table') return tableParts(form, table);
  if (table.as !== undefined) return partialParts(form, table);
  const { listKind } = form.definition;
  const type = `"kind":${JSON.stringify(listKind)},"apiVersion":${JSON.stringify(form.apiVersion)}`;
  const item = (stored: StoredObject): string => {
    const served = form.served(stored);
    const target = Buffer.allocUnsafe(form.itemLength(served));
    return target.toString('utf8', 0, form.writeItem(target, 0, served));
  };
  return { head: `{${type},"metadata":${table.metadata},"items":[`, item };
}

async function encodeList(
  form: ServedForm,
  objects: readonly StoredObject[],
  options: { readonly head: string; readonly pacer: Pacer },
): Promise<Uint8Array> {
  const { pacer } = options;
  const head = Buffer.from(options.head);
  const served: StoredObject[] = [];
  let length = head.length + 2;
  for (const stored of objects) {
    // Any version other than the stored version has to be decoded and re-encoded.
    if (pacer.isDue) await pacer.rest();
    const one = form.served(stored);
    served.push(one);
    length += form.itemLength(one) + 1;
  }
  const target = Buffer.allocUnsafe(length);
  target.set(head, 0);
  let at = head.length;
  for (let i = 0; i < served.length; i++) {
    if (i > 0) target[at++] = 0x2c;
    at = form.writeItem(target, at, served[i] as StoredObject); // the index is within bounds
  }
  target[at++] = 0x5d;
  target[at++] = 0x7d;
  return target.subarray(0, at);
}

/** Builds a response from JSON bytes: indented, as YAML or as protobuf, if the client requested it. */
export function jsonResponse(status: number, json: Uint8Array, format: OutputFormat): ApiResponse {
  if (isProtobufFormat(format)) return ready(status, protobufOfJson(decoder.decode(json), format.codec), format);
  if (format.mediaType === 'application/yaml') {
    return ready(status, Buffer.from(formatYaml(parseExactJson(decoder.decode(json)))), format);
  }
  if (!format.pretty) return ready(status, json, format);
  return ready(status, Buffer.from(stringifyJson(parseExactJson(decoder.decode(json)), { indent: 2 })), format);
}

/** Builds a response from bytes that are already in the client's form. */
function ready(status: number, body: Uint8Array, { mediaType }: OutputFormat): ApiResponse {
  return { status, headers: { 'content-type': mediaType, 'cache-control': 'no-cache, private' }, body };
}

/** Builds a response from a Status. */
export function negotiatedStatus(status: Status, format: OutputFormat): ApiResponse {
  const response = jsonResponse(status.code ?? 200, Buffer.from(JSON.stringify(status)), format);
  const seconds = status.details?.retryAfterSeconds;
  return seconds === undefined
    ? response
    : { ...response, headers: { ...response.headers, 'retry-after': String(seconds) } };
}

/** Negotiates the form of a failure. A client that accepts no supported form gets indented JSON, as in upstream. */
export function failureFormat({ headers, path }: ApiRequest, codec: ProtobufCodec | undefined): OutputFormat {
  const query = new URLSearchParams(path.split('?', 2)[1]);
  const type = { apiVersion: 'v1', kind: 'Status' };
  try {
    return negotiateOutput(headers, query, { table: false, codec, type });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { mediaType: 'application/json', pretty: true };
  }
}

/** Removes an empty reason, which is omitted on the wire. */
function withoutEmptyReason(status: Status): Status {
  if (status.reason !== '') return status;
  const { reason: _reason, ...rest } = status;
  return rest;
}

/** Returns the Status of a thrown value. Anything other than an API error becomes an internal error without details. */
export function statusOf(error: unknown): Status {
  if (error instanceof StatusError) return withoutEmptyReason(error.status);
  // Upstream passes on etcd's message, without a reason.
  if (error instanceof CommitTooLargeError)
    return { ...failure, message: 'etcdserver: request is too large', code: 500 };
  if (error instanceof StorageFullError)
    return { ...failure, message: 'etcdserver: mvcc: database space exceeded', code: 500 };
  if (error instanceof StorageNotReadyError) return notReady;
  return {
    ...failure,
    message: 'Internal error occurred: the server failed to handle the request; see the server log for details',
    reason: 'InternalError',
    details: { causes: [{ message: 'the server failed to handle the request' }] },
    code: 500,
  };
}

const failure = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' } as const;

/** kube-apiserver's response while it refills a watch cache. */
const notReady: Status = {
  ...failure,
  message: 'storage is (re)initializing',
  reason: 'TooManyRequests',
  details: { retryAfterSeconds: 1 },
  code: 429,
};
