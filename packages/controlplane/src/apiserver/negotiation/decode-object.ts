import { badRequest, StatusError, unsupportedMediaType } from '@kubewright/apimachinery';
import { BodyReadError, type ParsedBody, parseJson, parseYaml, previewBody } from '@kubewright/schema';

/** Decodes a protobuf body into plain JSON; injected, since its table is large and seldom needed. */
export type ProtobufDecoder = (bytes: Uint8Array) => unknown;

const MEDIA_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const YAML = new Set(['application/yaml', 'application/x-yaml', 'text/yaml']);

/** How a body is read. */
export interface BodyFormat {
  /** Kind of the endpoint, for messages. */
  readonly kind: string;
  readonly protobuf?: ProtobufDecoder | undefined;
}

/** The media type of a `Content-Type` header, without parameters; absent means JSON. */
export function mediaTypeOf(contentType: string | undefined): string {
  if (contentType === undefined || contentType === '') return 'application/json';
  const semicolon = contentType.indexOf(';');
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}

/**
 * Reads a body as JSON, YAML or protobuf, whatever its header says.
 *
 * @throws StatusError 415 for other media types, 400 for what cannot be read
 */
export function readBodyObject(
  bytes: Uint8Array,
  contentType: string | undefined,
  { kind, protobuf }: BodyFormat,
): ParsedBody {
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === 'application/vnd.kubernetes.protobuf' && protobuf) {
    return { value: decodeProtobuf(bytes, protobuf), duplicates: [], format: 'json' };
  }
  const yaml = YAML.has(mediaType);
  if (!yaml && mediaType !== 'application/json') throw unsupportedMediaType(MEDIA_TYPES);
  try {
    return yaml ? parseYaml(bytes) : parseJson(bytes);
  } catch (error) {
    if (!(error instanceof BodyReadError)) throw error;
    const detail = yaml
      ? error.message
      : `couldn't get version/kind; json parse error: ${error.message} (${previewBody(bytes)})`;
    throw badRequest(`the object provided is unrecognized (must be of type ${kind}): ${detail}`, { cause: error });
  }
}

function decodeProtobuf(bytes: Uint8Array, decode: ProtobufDecoder): unknown {
  try {
    return decode(bytes);
  } catch (cause) {
    if (cause instanceof StatusError) throw cause;
    throw badRequest(cause instanceof Error ? cause.message : 'the protobuf body cannot be decoded', { cause });
  }
}
