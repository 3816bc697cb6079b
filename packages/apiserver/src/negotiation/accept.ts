import { StatusError } from '@kubewright/apimachinery';
import type { ApiRequest } from '../http/api-request.ts';
import { noSuchForm, notAcceptable } from '../http/failures.ts';
import type { ObjectType, ProtobufCodec } from './protobuf-codec.ts';

const protobufMediaType = 'application/vnd.kubernetes.protobuf';
const mediaTypes = ['application/json', 'application/yaml', protobufMediaType] as const;

/** The format of a response. */
export interface OutputFormat {
  readonly mediaType: 'application/json' | 'application/yaml' | 'application/vnd.kubernetes.protobuf';
  /** The form to convert objects to; absent means unchanged. */
  readonly as?: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | undefined;
  /** The version of `as` in `meta.k8s.io`. @defaultValue 'v1' */
  readonly asVersion?: MetaVersion | undefined;
  readonly pretty: boolean;
  /** Present if the media type is protobuf. */
  readonly codec?: ProtobufCodec | undefined;
  /**
   * Set if the object cannot have the requested form: the error to respond with after processing the request, as in
   * upstream.
   */
  readonly mismatch?: StatusError | undefined;
}

/** A version of `meta.k8s.io`. */
export type MetaVersion = 'v1' | 'v1beta1';

/** The conversions that an endpoint supports. */
export interface OutputChoices {
  /** True if `as=Table` is supported. */
  readonly table: boolean;
  /**
   * The shape of the response to a client that requests only metadata: `event` for watches. Absent if the objects have
   * no metadata-only form (reviews, Scale).
   */
  readonly partial?: 'list' | 'object' | 'event' | undefined;
  /** False for endpoints that serve no watch; the message of a 406 then lists no streams. @defaultValue true */
  readonly streams?: boolean;
  /** The protobuf codec, if the server has one. */
  readonly codec: ProtobufCodec | undefined;
  /** The type of the objects, which may have no protobuf form. */
  readonly type: ObjectType;
}

const plain: OutputFormat = { mediaType: 'application/json', pretty: false };

/**
 * Chooses the format of a response from `Accept`, by quality, then by position. Custom resources have no protobuf form,
 * but their metadata does. Mirrors `NegotiateOutputMediaType` of k8s.io/apiserver (1.36).
 *
 * @throws StatusError 406 when the client accepts no supported format
 */
export function negotiateOutput(
  headers: ApiRequest['headers'],
  query: URLSearchParams,
  choices: OutputChoices,
): OutputFormat {
  const accept = headers['accept'];
  const pretty = wantsPretty(query, headers['user-agent']);
  if (accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json') {
    return pretty ? { mediaType: 'application/json', pretty } : plain;
  }
  let isServed = false;
  for (const clause of parseAccept(accept)) {
    const mediaType = servedType(clause.type, choices);
    if (mediaType === undefined) continue;
    isServed = true;
    const as = transformation(clause.params, choices);
    if (as === null) continue;
    const mismatch = mismatchOf(as, choices);
    const asVersion = clause.params.get('v') === 'v1beta1' ? 'v1beta1' : 'v1';
    if (mediaType === protobufMediaType) {
      const codec = choices.codec as ProtobufCodec; // protobuf is served only with a codec
      if (as === 'Table' || (as === undefined && !codec.has(choices.type))) continue;
      return { mediaType, as, pretty: false, codec, mismatch };
    }
    const requested = clause.params.get('pretty');
    const isPretty = requested === undefined ? pretty : requested === '1' || requested === 'true';
    return as === undefined
      ? { mediaType, pretty: isPretty }
      : { mediaType, as, asVersion, pretty: isPretty, mismatch };
  }
  throw isServed ? notAcceptable(mediaTypes) : unknownTypes(choices.streams ?? true);
}

/**
 * Reports whether a client accepts a media type that the server has. If not, upstream's router responds before the API
 * does.
 */
export function acceptsServedType(headers: ApiRequest['headers'], choices: Pick<OutputChoices, 'codec'>): boolean {
  const accept = headers['accept'] ?? '';
  return accept === '' || parseAccept(accept).some(({ type }) => servedType(type, choices) !== undefined);
}

/** Returns the media type of a watch. A client that requests YAML gets JSON, because YAML has no stream format. */
export function watchMediaType({ mediaType }: OutputFormat): string {
  if (mediaType === 'application/json') return mediaType;
  return `${mediaType === protobufMediaType ? mediaType : 'application/json'};stream=watch`;
}

/** Builds the error of upstream's router, which checks media types before the API does. */
function unknownTypes(hasStreams: boolean): StatusError {
  const streams = !hasStreams
    ? []
    : ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `406: Not Acceptable\n\nAvailable representations: ${[...mediaTypes, ...streams].join(', ')}`,
    reason: 'NotAcceptable',
    details: {},
    code: 406,
  });
}

/** A clause of an `Accept` header. */
export interface AcceptClause {
  readonly type: string;
  readonly params: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** Parses an `Accept` header: its clauses by quality, then by position. */
export function parseAccept(accept: string): readonly AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const text of accept.split(',', 64)) {
    const [type = '', ...rest] = text.split(';');
    const params = new Map<string, string>();
    for (const param of rest) {
      const equals = param.indexOf('=');
      if (equals < 0) continue;
      params.set(param.slice(0, equals).trim().toLowerCase(), unquote(param.slice(equals + 1).trim()));
    }
    const quality = Number(params.get('q') ?? '1');
    if (quality === 0) continue;
    clauses.push({ type: type.trim().toLowerCase(), params, quality: Number.isNaN(quality) ? 1 : quality });
  }
  return clauses.sort((a, b) => b.quality - a.quality); // stable: equal qualities stay in order
}

function servedType(type: string, { codec }: Pick<OutputChoices, 'codec'>): OutputFormat['mediaType'] | undefined {
  if (type === 'application/json' || type === '*/*' || type === 'application/*') return 'application/json';
  if (type === protobufMediaType) return codec && type;
  return type === 'application/yaml' ? type : undefined;
}

/** Returns the requested conversion: `undefined` if none is requested, `null` if it is not supported. */
function transformation(params: ReadonlyMap<string, string>, choices: OutputChoices): OutputFormat['as'] | null {
  const as = params.get('as');
  if (as === undefined) return undefined;
  if ((params.get('g') ?? '') !== 'meta.k8s.io' || !/^v1(?:beta1)?$/.test(params.get('v') ?? '')) return null;
  if (as === 'Table') return choices.table ? as : null;
  if (as !== 'PartialObjectMetadata' && as !== 'PartialObjectMetadataList') return null;
  if (choices.partial === undefined) return null;
  return as;
}

/**
 * Returns upstream's error for a form that does not fit the object; the message names the object's Go type. Returns
 * `undefined` if the form fits.
 */
function mismatchOf(as: OutputFormat['as'], { partial, type, codec }: OutputChoices): StatusError | undefined {
  if (as === undefined || as === 'Table') return undefined;
  if ((as === 'PartialObjectMetadataList') === (partial === 'list')) return undefined;
  const isList = partial === 'list';
  const [group = ''] = internalVersion(type).split('/').slice(0, -1);
  const name = `${type.kind.replace(/List$/, '')}${isList ? 'List' : ''}`;
  const goType = codec?.has(type)
    ? `${group === '' ? 'core' : group.split('.')[0]}.${name}`
    : `unstructured.Unstructured${isList ? 'List' : ''}`;
  return noSuchForm(
    `you requested ${as}, but the requested object is ${isList ? 'a list' : 'not a list'} (*${goType})`,
  );
}

/** Upstream first converts objects to an internal version. The internal version of Events is in the core group. */
function internalVersion({ apiVersion }: ObjectType): string {
  return apiVersion === 'events.k8s.io/v1' ? 'v1' : apiVersion;
}

function unquote(text: string): string {
  return text.startsWith('"') && text.endsWith('"') && text.length > 1 ? text.slice(1, -1) : text;
}

/** Reports whether to indent the response: if the query requests it, or by default for curl, Wget and browsers. */
function wantsPretty(query: URLSearchParams, userAgent: string | undefined): boolean {
  if (query.size > 0) {
    const requested = query.get('pretty');
    if (requested !== null) return /^(?:1|t|T|true|TRUE|True)$/.test(requested);
  }
  return userAgent !== undefined && /^(?:curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}
