import { apiVersionOf, badRequest, type FieldError } from '@kubewright/apimachinery';
import type { ApiResponse } from '../http/api-request.ts';
import { methodNotSupported } from '../http/failures.ts';
import { readBodyObject, readRequestBody } from '../negotiation/index.ts';
import {
  type ConnectCall,
  type ConnectSubresource,
  type Draft,
  getObject,
  readWriteOptions,
  type SubresourceDefinition,
  updateObject,
  type WriteCall,
} from '../registry/index.ts';
import { authorizeRequest } from './authorize.ts';
import { connectOptions } from './connect-options.ts';
import { namespaceOf, type ResourceCall, writeCallOf } from './resource-call.ts';

/** Handles a request for a subresource with its own behavior, such as `exec` or `binding`. */
export async function connect(
  call: ResourceCall,
  definition: SubresourceDefinition,
  behavior: ConnectSubresource,
): Promise<ApiResponse> {
  const { registry, info, request, user } = call;
  if (behavior.getNeedsCreate && info.verb === 'get') {
    await authorizeRequest(call.options.authorizer, { info: { ...info, verb: 'create' }, user });
  }
  if (!definition.verbs.includes(info.verb)) throw methodNotSupported();
  const { query } = info;
  const writes = info.verb !== 'get' && request.upgrade === undefined;
  const options = readWriteOptions(writes ? query : noQuery, 'CreateOptions');
  const body = writes ? await readConnectBody(call, definition) : undefined;
  const writeCall = writeCallOf(call, options);
  await (definition.kind.endsWith('Options') ? admitConnect(call, definition) : admit(call, { body, writeCall }));
  const { strategy } = registry.definition;
  const connectCall: ConnectCall = {
    request,
    user,
    namespace: namespaceOf(call),
    name: info.pathName,
    query,
    body,
    dryRun: options.dryRun,
    parent: async () => registry.form.object(await getObject(registry, writeCall)),
    updateParent: async (change) => {
      const { stored } = await updateObject(
        registry,
        (_live, stored) => {
          if (stored === undefined) throw new Error('the update returned no object');
          const draft = registry.form.draft(stored);
          change(draft);
          return draft;
        },
        {
          call: writeCall,
          // All admission has run on the request.
          validatingAttributes: () => undefined,
          // As in upstream, a binding or an eviction changes no managed fields.
          tracked: true,
          strategy: {
            ...strategy,
            generation: 'none',
            allowCreateOnUpdate: false,
            prepareForUpdate: keep,
            validateUpdate: noFaults,
          },
        },
      );
      return registry.form.object(stored);
    },
  };
  return behavior.connect(connectCall);
}

/** Runs admission for a stream: the operation is CONNECT, and the object holds the options from the query. */
export async function admitConnect(
  call: ResourceCall,
  definition: SubresourceDefinition,
  more: { readonly path?: string } = {},
): Promise<void> {
  const options = connectOptions(definition, call.info.query);
  await runAdmission(call, {
    writeCall: writeCallOf(call, readWriteOptions(noQuery, 'CreateOptions')),
    operation: 'CONNECT',
    object: more.path ? { ...options, path: more.path } : options,
  });
}

/** Runs admission for a subresource that is not a stream: the operation is CREATE. Reads skip admission. */
async function admit(
  call: ResourceCall,
  { body, writeCall }: { readonly body: Draft | undefined; readonly writeCall: WriteCall },
): Promise<void> {
  if (body && writeCall.namespace !== '') {
    body.metadata.namespace ||= writeCall.namespace;
    if (body.metadata.namespace !== writeCall.namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
  }
  if (call.info.verb !== 'get') await runAdmission(call, { writeCall, operation: 'CREATE', object: body });
}

async function runAdmission(
  { registry }: ResourceCall,
  parts: {
    readonly writeCall: WriteCall;
    readonly operation: 'CONNECT' | 'CREATE';
    readonly object: Draft | undefined;
  },
): Promise<void> {
  const { writeCall, operation, object } = parts;
  const attributes = registry.admissionAttributes(writeCall, { operation, object, old: undefined });
  await registry.services.admission.mutate(attributes);
  await registry.services.admission.validate(attributes);
}

const noQuery = new URLSearchParams();

/**
 * Keeps the draft unchanged. The main endpoint's strategy would restore the old status and undo the subresource's
 * change.
 */
function keep(): void {}

/** Skips the main endpoint's update validation: a binding sets fields that clients cannot set. */
function noFaults(): readonly FieldError[] {
  return [];
}

async function readConnectBody(call: ResourceCall, definition: SubresourceDefinition): Promise<Draft | undefined> {
  const { request, options } = call;
  const bytes = await readRequestBody(request, options.maxBodyBytes);
  if (bytes.length === 0) return undefined;
  const { kind } = definition;
  const body = readBodyObject(bytes, request.headers['content-type'], { kind, protobuf: options.protobuf });
  const value = body.value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { metadata, ...rest } = value as Partial<Draft>;
  const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
  return { ...rest, kind, apiVersion: apiVersionOf(definition), metadata: isObject ? metadata : {} };
}
