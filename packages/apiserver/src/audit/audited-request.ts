import type { Clock } from '@kubewright/apimachinery';
import { apiVersionOf } from '@kubewright/apimachinery';
import type { UserInfo } from '../authentication/authenticator.ts';
import type { ApiRequest, ApiResponse } from '../http/api-request.ts';
import { isStreaming } from '../http/long-running.ts';
import { type ProtobufCodec, readBodyObject } from '../negotiation/index.ts';
import type { ResourceDefinition } from '../registry/index.ts';
import type { RequestInfo } from '../request-info/index.ts';
import type { AuditDecision, AuditStage } from './audit-policy.ts';
import { withoutManagedFields } from './managed-fields.ts';
import { sourceAddresses } from './source-addresses.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** The facts about an audited request that are known when the request arrives. */
export interface AuditedFacts {
  readonly auditId: string;
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  /** Undefined if authentication failed. */
  readonly user: UserInfo | undefined;
  /** The kind of the resource, if this server serves it. */
  readonly definition: ResourceDefinition | undefined;
}

/** Options for {@link AuditedRequest}. */
export interface AuditedRequestOptions {
  readonly decision: AuditDecision;
  readonly clock: Clock;
  readonly protobuf: ProtobufCodec | undefined;
  /** Receives each event, as JSON in the format of audit.k8s.io/v1. */
  readonly write: (event: JsonObject) => void;
}

/** Writes the audit events of one request. Mirrors the audit handler of k8s.io/apiserver (1.36). */
export class AuditedRequest {
  readonly #facts: AuditedFacts;
  readonly #options: AuditedRequestOptions;
  readonly #received: string;
  readonly #annotations = new Map<string, string>();
  readonly #body: Uint8Array[] = [];
  #impersonated: UserInfo | undefined;

  constructor(facts: AuditedFacts, options: AuditedRequestOptions) {
    this.#facts = facts;
    this.#options = options;
    this.#received = microTime(options.clock.now());
  }

  /** Writes the event for the arrival of the request. */
  receive(): void {
    this.#write('RequestReceived');
  }

  /** Records the user that the caller impersonates. */
  impersonate(user: UserInfo): void {
    this.#impersonated = user;
  }

  /**
   * Adds an annotation to all later events that have at least the given level. If a key is set twice, the first value
   * is kept.
   */
  readonly annotate = (
    key: string,
    value: string,
    { level = 'Metadata' }: { readonly level?: 'Metadata' | 'Request' } = {},
  ): void => {
    if (level === 'Request' && this.#options.decision.level === 'Metadata') return;
    if (!this.#annotations.has(key)) this.#annotations.set(key, value);
  };

  /** Returns the request with a body that is recorded as it is read. */
  recorded(): ApiRequest {
    const { request } = this.#facts;
    const { body } = request;
    if (body === undefined) return request;
    if (body instanceof Uint8Array) {
      this.#body.push(body);
      return request;
    }
    return { ...request, body: copied(body, (chunk) => this.#body.push(chunk)) };
  }

  /**
   * Writes the events of the response; the last event follows when the body has ended. Returns the response with a body
   * that detects its own end.
   */
  respond(response: ApiResponse): ApiResponse {
    const { body } = response;
    const isLong = isStreaming(this.#facts.info);
    if (body instanceof Uint8Array) {
      if (isLong) this.#write('ResponseStarted', { response, bytes: body });
      this.#write('ResponseComplete', { response, bytes: body });
      return response;
    }
    if (isLong) this.#write('ResponseStarted', { response, bytes: empty });
    const chunks: Uint8Array[] = [];
    const keep = isLong ? () => undefined : (chunk: Uint8Array) => chunks.push(chunk);
    const end = (): void => this.#write('ResponseComplete', { response, bytes: Buffer.concat(chunks) });
    return { ...response, body: copied(body, keep, end) };
  }

  /** Writes the only event of a request whose credentials were rejected. */
  reject(response: ApiResponse): void {
    this.#write('ResponseStarted', { response, bytes: response.body instanceof Uint8Array ? response.body : empty });
  }

  #write(stage: AuditStage, reply?: { readonly response: ApiResponse; readonly bytes: Uint8Array }): void {
    const { decision, clock, write } = this.#options;
    if (decision.omitStages.includes(stage)) return;
    const { auditId, request, info, user } = this.#facts;
    const requestObject = reply && this.#requestObject();
    const responseObject = reply && jsonIn(reply.response, reply.bytes);
    const userAgent = request.headers['user-agent'];
    const isAtLeast = (level: AuditDecision['level']): boolean => levelsFrom(level).includes(decision.level);
    write(
      defined({
        kind: 'Event',
        apiVersion: 'audit.k8s.io/v1',
        level: decision.level,
        auditID: auditId,
        stage,
        requestURI: request.path,
        verb: info.verb,
        user: user ? identity(user) : {},
        impersonatedUser: this.#impersonated && identity(this.#impersonated),
        sourceIPs: sourceAddresses(request),
        userAgent: userAgent === '' ? undefined : userAgent,
        objectRef: info.isResource ? objectReference(info, requestObject) : undefined,
        responseStatus: reply && responseStatus(reply.response.status, responseObject),
        requestObject: isAtLeast('Request') ? this.#shown(requestObject) : undefined,
        responseObject: isAtLeast('RequestResponse') ? this.#shown(responseObject) : undefined,
        requestReceivedTimestamp: this.#received,
        stageTimestamp: stage === 'RequestReceived' ? this.#received : microTime(clock.now()),
        annotations: this.#annotations.size > 0 ? Object.fromEntries(this.#annotations) : undefined,
      }),
    );
  }

  #shown(object: JsonObject | undefined): JsonObject | undefined {
    return object && this.#options.decision.omitManagedFields ? withoutManagedFields(object) : object;
  }

  /** Returns the object in the request body. Adds the kind to an object of the resource; returns a patch as sent. */
  #requestObject(): JsonObject | undefined {
    const bytes = Buffer.concat(this.#body);
    if (bytes.length === 0) return undefined;
    const { request, info, definition } = this.#facts;
    const isPatch = info.verb === 'patch';
    const sent = request.headers['content-type'];
    // Patches are JSON, except for applies, which may be YAML.
    const type = isPatch ? (sent?.includes('yaml') ? 'application/yaml' : 'application/json') : sent;
    let value: unknown;
    try {
      ({ value } = readBodyObject(bytes, type, { kind: definition?.kind ?? '', protobuf: this.#options.protobuf }));
    } catch {
      // The body is invalid. The response gives the reason.
      return undefined;
    }
    if (typeof value !== 'object' || value === null) return undefined;
    const object = value as JsonObject;
    if (isPatch) return object;
    if (info.verb.startsWith('delete')) return { ...object, ...deleteOptionsType };
    return definition && info.subresource === ''
      ? { kind: definition.kind, apiVersion: apiVersionOf(definition), ...object }
      : object;
  }
}

const empty = new Uint8Array(0);
/** Upstream logs DeleteOptions in their internal version. */
const deleteOptionsType = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal' };

function levelsFrom(level: AuditDecision['level']): readonly AuditDecision['level'][] {
  return level === 'Request' ? ['Request', 'RequestResponse'] : ['RequestResponse'];
}

async function* copied(
  body: AsyncIterable<Uint8Array>,
  keep: (chunk: Uint8Array) => void,
  end: () => void = () => undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of body) {
      keep(chunk);
      yield chunk;
    }
  } finally {
    end();
  }
}

/** Removes undefined fields. */
function defined(event: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined));
}

function identity({ username, uid, groups, extra }: UserInfo): JsonObject {
  return defined({ username, uid, groups, extra });
}

/** Builds the reference to the object. For a create or update, the body provides the missing fields. */
function objectReference(info: RequestInfo, object: JsonObject | undefined): JsonObject {
  const { resource, namespace, name, group, version, subresource } = info;
  const metadata = (object?.['metadata'] ?? {}) as JsonObject;
  const isWhole = info.verb === 'create' || info.verb === 'update';
  const filled = (text: unknown): unknown => (text === '' ? undefined : text);
  return defined({
    resource,
    namespace: filled(namespace) ?? (isWhole ? metadata['namespace'] : undefined),
    name: filled(name) ?? (isWhole ? metadata['name'] : undefined),
    uid: isWhole ? metadata['uid'] : undefined,
    apiGroup: filled(group),
    apiVersion: version,
    resourceVersion: isWhole ? metadata['resourceVersion'] : undefined,
    subresource: filled(subresource),
  });
}

function jsonIn({ headers }: ApiResponse, bytes: Uint8Array): JsonObject | undefined {
  const type = String(headers['content-type'] ?? '');
  if (bytes.length === 0 || !type.startsWith('application/json')) return undefined;
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as JsonObject;
  } catch {
    // The stream was truncated.
    return undefined;
  }
}

function responseStatus(code: number, object: JsonObject | undefined): JsonObject {
  if (object?.['kind'] !== 'Status' || object['apiVersion'] !== 'v1') return { metadata: {}, code };
  const { status, message, reason, details } = object;
  return defined({ metadata: {}, status, message, reason, details, code });
}

function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
