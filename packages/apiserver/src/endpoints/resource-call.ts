import { badRequest } from '@kubewright/apimachinery';
import type { Authorizer } from '../authorization/authorizer.ts';
import {
  negotiateOutput,
  type ObjectType,
  type OutputChoices,
  type OutputFormat,
  type ProtobufCodec,
  readBodyObject,
  readRequestBody,
} from '../negotiation/index.ts';
import { type Call, type DeleteOptions, type Registry, readDeleteOptions, type WriteCall } from '../registry/index.ts';
import { type IncludeObject, protobufType } from '../tables/index.ts';
import { authorizeRequest } from './authorize.ts';
import { deletionFields, writeFields } from './operation-options.ts';
import type { RequestContext } from './request-context.ts';

/** Dependencies of endpoints, in addition to the registry. */
export interface EndpointOptions {
  readonly authorizer: Authorizer;
  readonly maxBodyBytes: number;
  readonly protobuf: ProtobufCodec | undefined;
}

/** A request for one resource. */
export interface ResourceCall extends RequestContext {
  readonly registry: Registry;
  readonly options: EndpointOptions;
}

/** Returns the namespace of a call's objects; empty for cluster-scoped kinds. */
export function namespaceOf({ info, registry }: ResourceCall): string {
  return registry.definition.scope === 'Cluster' ? '' : info.namespace;
}

/** Negotiates the form of the response. */
export function formatOf(
  call: ResourceCall,
  partial: OutputChoices['partial'],
  options: { readonly table?: boolean; readonly type?: ObjectType } = {},
): OutputFormat {
  const { request, info } = call;
  const { table = true, type = protobufType(call.registry.form) } = options;
  const streams = info.verb !== 'get';
  return negotiateOutput(request.headers, info.query, { table, partial, streams, codec: call.options.protobuf, type });
}

/** Returns the part of the object that a table row includes. */
export function includeOf({ info }: ResourceCall): IncludeObject {
  const requested = info.query.get('includeObject');
  if (requested === null || requested === '') return 'Metadata';
  if (requested === 'None' || requested === 'Metadata' || requested === 'Object') return requested;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(requested)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** Returns the part of a call that the registry needs for a write. */
export function writeCallOf(
  { info, registry, request, user, warnings, annotate }: ResourceCall,
  options: { readonly dryRun: boolean; readonly fieldManager: string; readonly deletion?: DeleteOptions },
): WriteCall {
  return {
    user,
    namespace: registry.definition.scope === 'Cluster' ? '' : info.namespace,
    name: info.pathName,
    signal: request.signal,
    warn: warnings.add,
    annotate,
    dryRun: options.dryRun,
    manager: managerName(options.fieldManager, request.headers['user-agent']),
    subresource: info.subresource,
    options: options.deletion ? deletionFields(options.deletion) : writeFields(info.query, options.dryRun),
  };
}

/**
 * Same as {@link writeCallOf}, for an update or a patch that may create the object: a creation also requires the create
 * permission.
 */
export function upsertCallOf(
  call: ResourceCall,
  options: { readonly dryRun: boolean; readonly fieldManager: string },
): WriteCall {
  const { info, user } = call;
  const { authorizer } = call.options;
  const authorizeCreate = (): Promise<void> =>
    authorizeRequest(authorizer, { info: { ...info, verb: 'create' }, user });
  return { ...writeCallOf(call, options), authorizeCreate };
}

/** Reads the options of a deletion from its body or query. */
export async function readDeletion(call: ResourceCall): Promise<DeleteOptions> {
  const { registry, warnings } = call;
  const deletion = await readDeletionOptions(call);
  const { defaultPropagationWarning: warning } = registry.definition.strategy;
  const isSpecified = deletion.propagationPolicy !== undefined || deletion.orphanDependents !== undefined;
  if (warning !== undefined && !isSpecified) warnings.add(warning);
  return deletion;
}

async function readDeletionOptions({ request, info, options }: ResourceCall): Promise<DeleteOptions> {
  const bytes = await readRequestBody(request, options.maxBodyBytes);
  if (bytes.length === 0) return readDeleteOptions(undefined, info.query);
  const body = readBodyObject(bytes, request.headers['content-type'], {
    kind: 'DeleteOptions',
    protobuf: options.protobuf,
    bare: true,
  });
  return readDeleteOptions(body.value, info.query);
}

/** Returns the part of a call that the registry needs for a read. */
export function readCallOf({ info, registry, request, user, warnings }: ResourceCall): Call {
  const namespace = registry.definition.scope === 'Cluster' ? '' : info.namespace;
  return { user, namespace, name: info.pathName, signal: request.signal, warn: warnings.add };
}

/** Returns the wall clock, for ages in tables. */
export function nowOf({ registry }: ResourceCall): () => number {
  return () => registry.services.clock.now();
}

const maxManagerLength = 128;

/** Returns the field manager. If the client names none, returns its user agent up to the first slash. */
function managerName(fieldManager: string, userAgent: string | undefined): string {
  if (fieldManager !== '') return fieldManager;
  if (userAgent === undefined || userAgent === '') return 'unknown';
  const slash = userAgent.indexOf('/');
  const name = slash < 0 ? userAgent : userAgent.slice(0, slash);
  return name.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '').slice(0, maxManagerLength);
}
