import { badRequest, StatusError } from '@kubewright/apimachinery';
import { BodyReadError, type ParsedBody, parseJson, parseYaml } from '@kubewright/schema';
import { previewBody } from '@kubewright/schema/internal';
import { unsupportedMediaType } from '../http/failures.ts';
import type { ProtobufCodec } from './protobuf-codec.ts';

const mediaTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const yamlTypes = new Set(['application/yaml', 'application/x-yaml', 'text/yaml']);

/** The expected format of a body. */
export interface BodyFormat {
  /** Kind of the endpoint, for messages. */
  readonly kind: string;
  readonly protobuf?: ProtobufCodec | undefined;
  /** True if the body must contain its kind, because the decoder cannot infer it: for custom resources. @defaultValue false */
  readonly needsKind?: boolean | undefined;
  /** True for options, whose errors do not mention the kind. @defaultValue false */
  readonly bare?: boolean | undefined;
}

/** Returns the media type of a `Content-Type` header, without parameters; JSON if absent. */
export function mediaTypeOf(contentType: string | undefined): string {
  if (contentType === undefined || contentType === '') return 'application/json';
  const semicolon = contentType.indexOf(';');
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}

/**
 * Decodes a body as JSON, YAML or protobuf, by its media type.
 *
 * @throws StatusError 415 for other media types, 400 for an invalid body
 */
export function readBodyObject(
  bytes: Uint8Array,
  contentType: string | undefined,
  { kind, protobuf, bare = false, needsKind = false }: BodyFormat,
): ParsedBody {
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === 'application/vnd.kubernetes.protobuf' && protobuf) {
    return { value: decodeProtobuf(bytes, protobuf), duplicates: [], format: 'json' };
  }
  const yaml = yamlTypes.has(mediaType);
  if (!yaml && mediaType !== 'application/json') throw unsupportedMediaType(mediaTypes);
  try {
    const body = yaml ? parseYaml(bytes) : parseJson(bytes);
    const fault = typeFault(body.value, needsKind ? bytes : undefined);
    if (fault === undefined) return body;
    throw bare ? badRequest(fault) : unrecognized(kind, `${fault} (${previewBody(bytes)})`);
  } catch (error) {
    if (!(error instanceof BodyReadError)) throw error;
    if (bare) throw badRequest(yaml ? error.message : noType + error.message, { cause: error });
    throw unrecognized(kind, `${yaml ? '' : noType}${error.message} (${previewBody(bytes)})`, error);
  }
}

const noType = "couldn't get version/kind; json parse error: ";

function unrecognized(kind: string, detail: string, cause?: unknown): StatusError {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${detail}`, { cause });
}

/**
 * Returns the reason that a body's kind and version cannot be determined, or undefined if they can. `bytes`, which the
 * message quotes, is present if the kind is required.
 */
function typeFault(value: unknown, bytes: Uint8Array | undefined): string | undefined {
  if (typeof value !== 'object' || Array.isArray(value)) return noType + notAnObject(value);
  const { apiVersion, kind } = (value ?? {}) as { readonly apiVersion?: unknown; readonly kind?: unknown };
  for (const [name, given] of Object.entries({ apiVersion, kind })) {
    if (given === undefined || given === null || typeof given === 'string') continue;
    return `${noType}json: cannot unmarshal ${jsonType(given)} into Go struct field .${name} of type string`;
  }
  if (!bytes || (typeof kind === 'string' && kind !== '')) return undefined;
  return `Object 'Kind' is missing in '${Buffer.from(bytes).toString('utf8')}'`;
}

function jsonType(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
}

function notAnObject(value: unknown): string {
  return `json: cannot unmarshal ${jsonType(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
}

function decodeProtobuf(bytes: Uint8Array, protobuf: ProtobufCodec): unknown {
  try {
    return protobuf.decode(bytes);
  } catch (cause) {
    if (cause instanceof StatusError) throw cause;
    throw badRequest(cause instanceof Error ? cause.message : 'cannot decode the protobuf body', { cause });
  }
}
