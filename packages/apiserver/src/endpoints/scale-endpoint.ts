import {
  badRequest,
  conflict,
  invalid,
  invalidField,
  type KubernetesObject,
  LabelSelector,
  type LabelSelectorObject,
} from '@kubewright/apimachinery';
import { formatTime, stringifyJson } from '@kubewright/apimachinery/internal';
import type { ParsedBody } from '@kubewright/schema';
import { builtinSchema } from '@kubewright/schema/internal';
import type { ApiResponse } from '../http/api-request.ts';
import { methodNotSupported } from '../http/failures.ts';
import { mediaTypeOf, readBodyObject, readRequestBody } from '../negotiation/index.ts';
import {
  type Draft,
  decodeDraft,
  decodePatched,
  getObject,
  patchTypeOf,
  type ResourceDefinition,
  readWriteOptions,
  type ScaleSubresource,
  updateObject,
  type WriteCall,
} from '../registry/index.ts';
import { jsonResponse } from './object-response.ts';
import { formatOf, type ResourceCall, writeCallOf } from './resource-call.ts';
import { managedFieldsAfterScale } from './scale-ownership.ts';
import { applyScalePatch } from './scale-patch.ts';

/** The `autoscaling/v1` Scale of an object. */
export interface Scale {
  readonly kind: 'Scale';
  readonly apiVersion: 'autoscaling/v1';
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: { readonly replicas?: number };
  readonly status: { readonly replicas: number; readonly selector?: string };
}

const scaleType = { apiVersion: 'autoscaling/v1', kind: 'Scale' };

/** Handles GET, PUT and PATCH of a scale: a small view of the parent through which only the replicas can change. */
export async function scaleEndpoint(call: ResourceCall, scale: ScaleSubresource): Promise<ApiResponse> {
  const format = formatOf(call, undefined, { table: false, type: scaleType });
  const object = await scaledParent(call, scale);
  return jsonResponse(200, Buffer.from(stringifyJson(scaleOf(object, scale))), format);
}

/** Returns the definition by which bodies that contain a Scale are decoded. */
function scaleDefinition(parent: ResourceDefinition): ResourceDefinition {
  const schema = builtinSchema({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
  if (schema === undefined) throw new Error('the table of built-in types has no Scale');
  const { generation, allowUnconditionalUpdate, allowCreateOnUpdate } = parent.strategy;
  return {
    ...parent,
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    schema,
    decode: undefined,
    custom: false,
    strategy: { generation, allowUnconditionalUpdate, allowCreateOnUpdate },
  };
}

function scaledParent(call: ResourceCall, scale: ScaleSubresource): Promise<KubernetesObject> {
  switch (call.info.verb) {
    case 'get':
      return readParent(call);
    case 'update':
      return replace(call, scale);
    case 'patch':
      return patch(call, scale);
    default:
      throw methodNotSupported();
  }
}

async function readParent(call: ResourceCall): Promise<KubernetesObject> {
  const { registry } = call;
  const readCall = writeCallOf(call, { dryRun: false, fieldManager: '' });
  return registry.form.object(await getObject(registry, readCall));
}

async function replace(call: ResourceCall, scale: ScaleSubresource): Promise<KubernetesObject> {
  const { info, request, options } = call;
  const writeOptions = readWriteOptions(info.query, 'UpdateOptions');
  const bytes = await readRequestBody(request, options.maxBodyBytes);
  const body = readBodyObject(bytes, request.headers['content-type'], { kind: 'Scale', protobuf: options.protobuf });
  const { fieldValidation } = writeOptions;
  const definition = scaleDefinition(call.registry.definition);
  const { warn } = writeCallOf(call, writeOptions);
  const decoded = decodeDraft(body, { definition, strategy: definition.strategy, fieldValidation, warn });
  return write(call, scale, { writeOptions, change: () => decoded });
}

async function patch(call: ResourceCall, scale: ScaleSubresource): Promise<KubernetesObject> {
  const { info, request, options } = call;
  const type = patchTypeOf(mediaTypeOf(request.headers['content-type'] ?? 'none'), false);
  const writeOptions = readWriteOptions(info.query, 'PatchOptions', { apply: type === 'apply' });
  const bytes = await readRequestBody(request, options.maxBodyBytes);
  const definition = scaleDefinition(call.registry.definition);
  const { strategy } = definition;
  const writeCall = writeCallOf(call, writeOptions);
  const change = (current: Scale): unknown => {
    const patched = applyScalePatch(current, { type, bytes, schema: definition.schema });
    const stored = current as unknown as Draft; // the Scale has a kind and metadata
    if (type !== undefined && type !== 'apply') {
      const parts = {
        call: writeCall,
        patch: { type, bytes, options: writeOptions, strategy },
        duplicates: [],
        stored,
      };
      return decodePatched({ definition }, patched, parts);
    }
    const body: ParsedBody = { value: patched, duplicates: [], format: 'json' };
    const target = {
      definition,
      strategy,
      fieldValidation: 'Ignore',
      fromUnstructured: true,
      warn: writeCall.warn,
    } as const;
    return decodeDraft(body, target);
  };
  return write(call, scale, { writeOptions, change, apply: type === 'apply' });
}

async function write(
  call: ResourceCall,
  scale: ScaleSubresource,
  options: {
    readonly writeOptions: ReturnType<typeof readWriteOptions>;
    readonly change: (current: Scale) => unknown;
    /** True if the change is a server-side apply, which may conflict or take ownership even if the replicas stay the same. */
    readonly apply?: boolean;
  },
): Promise<KubernetesObject> {
  const { registry } = call;
  const { strategy } = registry.definition;
  const writeCall = writeCallOf(call, options.writeOptions);
  const { stored } = await updateObject(
    registry,
    async (live, found) => {
      if (live === undefined || found === undefined) throw new Error('the update returned no object');
      const wanted = await admitted(call, options.change(scaleOf(live, scale)), {
        writeCall,
        old: scaleOf(live, scale),
      });
      const draft = registry.form.draft(found);
      takeReplicas(call, draft, { wanted, live, scale });
      const time = formatTime(registry.services.clock.now());
      const { definition } = registry;
      const before = numberAt(live, scale.specReplicasPath);
      const after = numberAt(draft, scale.specReplicasPath);
      const { apply } = options;
      if (before === after && !apply) return draft;
      const { manager } = writeCall;
      const force = options.writeOptions.force === true;
      const change = { definition, scale, before, after, manager, time, ...(apply && { applied: wanted, force }) };
      draft.metadata['managedFields'] = managedFieldsAfterScale(live, change);
      return draft;
    },
    {
      call: writeCall,
      strategy: { ...strategy, allowCreateOnUpdate: false },
      tracked: true,
      validatingAttributes: (draft, live) =>
        scaleAttributes(call, writeCall, {
          object: scaleOf(draft as unknown as KubernetesObject, scale),
          old: scaleOf(live, scale),
        }),
    },
  );
  return registry.form.object(stored);
}

/** Runs admission on the Scale from the request; admission may change it. */
async function admitted(
  call: ResourceCall,
  wanted: unknown,
  { writeCall, old }: { readonly writeCall: WriteCall; readonly old: Scale },
): Promise<unknown> {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return wanted;
  const sent = { status: { replicas: 0 }, metadata: {}, ...wanted, kind: old.kind, apiVersion: old.apiVersion };
  await call.registry.services.admission.mutate(scaleAttributes(call, writeCall, { object: sent, old }));
  return sent;
}

function scaleAttributes(
  { registry }: ResourceCall,
  writeCall: WriteCall,
  { object, old }: { readonly object: object; readonly old: Scale },
): ReturnType<typeof registry.admissionAttributes> {
  // Admission treats a Scale like any other object.
  return registry.admissionAttributes(writeCall, {
    operation: 'UPDATE',
    object: object as Draft,
    old: old as unknown as KubernetesObject,
  });
}

function takeReplicas(
  { registry, info }: ResourceCall,
  draft: Draft,
  {
    wanted,
    live,
    scale,
  }: { readonly wanted: unknown; readonly live: KubernetesObject; readonly scale: ScaleSubresource },
): void {
  if (typeof wanted !== 'object' || wanted === null) throw badRequest('the body is not a Scale object');
  const { spec, metadata } = wanted as {
    readonly spec?: { readonly replicas?: unknown };
    readonly metadata?: Scale['metadata'];
  };
  const { resourceVersion, uid, name } = metadata ?? {};
  if (name !== undefined && name !== info.pathName) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.pathName})`);
  }
  if (uid && uid !== live.metadata.uid) {
    const cause = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`;
    throw conflict(registry.definition, info.pathName, cause);
  }
  if (resourceVersion) draft.metadata.resourceVersion = String(resourceVersion);
  const replicas = spec?.replicas ?? 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas)) throw badRequest('spec.replicas must be an integer');
  // Custom resources are validated against their own schema.
  if (replicas < 0 && !registry.definition.custom) {
    const fault = invalidField('spec.replicas', replicas, 'must be greater than or equal to 0');
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, info.pathName, [fault]);
  }
  setPath(draft, scale.specReplicasPath, replicas);
}

function scaleOf(object: KubernetesObject, scale: ScaleSubresource): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = numberAt(object, scale.specReplicasPath);
  const selector = selectorText(scale.selectorPath && valueAt(object, scale.selectorPath));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: numberAt(object, scale.statusReplicasPath), ...(selector === '' ? {} : { selector }) },
  };
}

function selectorText(selector: unknown): string {
  if (typeof selector === 'string') return selector;
  if (typeof selector !== 'object' || selector === null) return '';
  const { matchLabels, matchExpressions } = selector as LabelSelectorObject;
  if (matchLabels === undefined && matchExpressions === undefined) {
    // The selector of a ReplicationController is a plain map of labels.
    return LabelSelector.ofLabels(selector as Readonly<Record<string, string>>).toString();
  }
  return LabelSelector.ofObject(selector as LabelSelectorObject).toString();
}

function numberAt(object: object, path: readonly string[]): number {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : 0;
}

function valueAt(object: object, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const field of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[field];
  }
  return value;
}

function setPath(draft: Draft, path: readonly string[], value: number): void {
  let target: Record<string, unknown> = draft;
  for (const field of path.slice(0, -1)) {
    if (field === '__proto__') return; // not a field of any object
    const next = Object.hasOwn(target, field) ? target[field] : undefined;
    if (typeof next === 'object' && next !== null) target = next as Record<string, unknown>;
    else {
      const made: Record<string, unknown> = {};
      target[field] = made;
      target = made;
    }
  }
  const last = path.at(-1);
  if (last !== undefined && last !== '__proto__') target[last] = value;
}
