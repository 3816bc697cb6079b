import type { KubernetesObject } from '@kubewright/apimachinery';
import { defined, sameJson } from '@kubewright/apimachinery/internal';
import type { Draft, Strategy } from '@kubewright/apiserver';
import type { BuiltinKind, KindStrategy, StatusHandling, SubresourceStrategy } from './builtin-kind.ts';
import { copyJson } from './copy-json.ts';
import { dropUnusedOfPods } from './core/unused-pod-fields.ts';
import { wireShapes } from './generated/wire-shapes.ts';
import { metadataRules } from './metadata-rules.ts';
import { semanticEqual } from './validation/check.ts';
import type { WireTypes } from './wire/wire-types.ts';

/** Kinds whose DELETE returns the deleted object instead of a Status. */
const returningDeleted: ReadonlySet<string> = new Set([
  '/v1/persistentvolumes',
  '/v1/persistentvolumeclaims',
  '/v1/pods',
  '/v1/podtemplates',
  '/v1/resourcequotas',
  '/v1/services',
  '/v1/serviceaccounts',
  'resource.k8s.io/v1/deviceclasses',
  'resource.k8s.io/v1/resourceclaims',
  'resource.k8s.io/v1/resourceclaimtemplates',
  'resource.k8s.io/v1/resourceslices',
  'storage.k8s.io/v1/csidrivers',
  'storage.k8s.io/v1/csinodes',
  'storage.k8s.io/v1/storageclasses',
  'storage.k8s.io/v1/volumeattachments',
  'storage.k8s.io/v1/volumeattributesclasses',
]);

/** Returns the strategy for the main resource of a kind. */
export function mainStrategy(kind: BuiltinKind, types: WireTypes): Strategy {
  const own = untyped(kind.strategy);
  const handling = kind.status ?? (statusStruct(kind) === undefined ? 'free' : 'reset');
  return {
    ...shared(kind, types),
    ...metadataRules(kind.resource),
    ...passedOn(own),
    ...defined({ resets: kind.resets, defaultPropagationWarning: kind.defaultPropagationWarning }),
    returnsDeleted: returningDeleted.has(kind.resource),
    prepareForCreate(object, context) {
      if (handling === 'reset') resetStatus({ object, kind, types });
      dropUnusedOfPods(kind.resource, object, undefined);
      own.prepareForCreate?.(object, context);
    },
    prepareForUpdate(object, old, context) {
      if (keepsStatus(handling)) takeOver(object, { from: old, fields: ['status'] });
      dropUnusedOfPods(kind.resource, object, old);
      own.prepareForUpdate?.(object, old, context);
      // Validation, which follows, removes the empty fields again.
      if (kind.generationSeesEmpty) types.emptyFields.restore(object);
    },
  };
}

/**
 * Lets the rules of a strategy see the empty lists and maps that the client sent: some of upstream's rules reject them, or show
 * them in messages.
 */
export function seeingEmptyFields(strategy: Strategy, { emptyFields }: WireTypes): Strategy {
  const { validate, validateUpdate } = strategy;
  return {
    ...strategy,
    ...(validate && {
      validate: (object, context) => emptyFields.during(object, () => validate(object, context)),
    }),
    ...(validateUpdate && {
      validateUpdate: (object, old, context) => emptyFields.during(object, () => validateUpdate(object, old, context)),
    }),
  };
}

/** Returns the strategy of a subresource. Fields that it does not own are restored from the stored object. */
export function subresourceStrategy(
  kind: BuiltinKind,
  subresource: SubresourceStrategy<never>,
  types: WireTypes,
): Strategy {
  const own = untyped(subresource);
  const owned = new Set(subresource.owns ?? ['status']);
  const fixed = Object.keys(wireShapes[kind.struct] ?? {}).filter((field) => field !== 'metadata' && !owned.has(field));
  return {
    ...shared(kind, types),
    ...passedOn(own),
    ...resetsOf(subresource),
    ...defined({ allowCreateOnApply: subresource.allowCreateOnApply }),
    prepareForUpdate(object, old, context) {
      takeOver(object, { from: old, fields: fixed });
      if (subresource.keepsMetadata) keepMetadata(object, old);
      own.prepareForUpdate?.(object, old, context);
    },
  };
}

function resetsOf({ resets, keepsMetadata, owns }: SubresourceStrategy<never>): Pick<Strategy, 'resets'> {
  if (resets) return { resets };
  return keepsMetadata && owns === undefined ? { resets: [['spec'], ['metadata']] } : {};
}

/** Resets an object's status to the kind's empty status. */
function resetStatus(options: { readonly object: Draft; readonly kind: BuiltinKind; readonly types: WireTypes }): void {
  const struct = statusStruct(options.kind);
  if (struct !== undefined) options.object['status'] = options.types.zero(struct);
}

function shared(kind: BuiltinKind, types: WireTypes): Strategy {
  return {
    generation: kind.generation ?? 'none',
    allowUnconditionalUpdate: kind.allowUnconditionalUpdate ?? true,
    allowCreateOnUpdate: kind.allowCreateOnUpdate ?? false,
    ...defined({
      garbageCollection: kind.garbageCollection,
      defaultPropagation: kind.defaultPropagation,
      validatesMetadataLast: kind.validatesMetadataLast,
    }),
    applyDefaults(object) {
      const { managedFields } = object.metadata;
      types.emptyFields.record(object, types.normalize(kind.struct, object));
      // An empty list clears the managed fields; nil does not.
      if (Array.isArray(managedFields) && managedFields.length === 0) object.metadata['managedFields'] = [];
      types.emptyFields.during(object, () => types.applyDefaults(kind.struct, object));
      if (kind.convertsOnDecode) convertInPlace(object, kind.conversion);
    },
    ...(!kind.generationSeesEmpty && { isSame: isSameDesired }),
    prepareForStorage: (object) => types.dropEmptyLists(kind.struct, object),
  };
}

function convertInPlace(object: Draft, conversion: BuiltinKind['conversion']): void {
  if (!conversion) return;
  const converted = conversion.fromStorage(conversion.toStorage(object) as unknown as KubernetesObject);
  for (const field of Object.keys(object)) delete (object as Partial<Draft>)[field];
  Object.assign(object, converted);
}

function isSameDesired(now: unknown, old: unknown): boolean {
  return sameJson(now, old) || semanticEqual(now, old);
}

function passedOn(own: Partial<Strategy>): Partial<Strategy> {
  const { validate, validateUpdate, warnings, validateName, gracefulSeconds, abandon } = own;
  return {
    ...defined({ validate, validateUpdate, warnings, validateName, gracefulSeconds, abandon }),
  };
}

function untyped(strategy: KindStrategy<never> | undefined): Partial<Strategy> {
  // A strategy gets only objects of its kind. `builtinKind` has erased the type of these objects.
  return (strategy ?? {}) as unknown as Partial<Strategy>;
}

function keepsStatus(handling: StatusHandling): boolean {
  return handling !== 'free';
}

function statusStruct(kind: BuiltinKind): string | undefined {
  const code = wireShapes[kind.struct]?.['status'];
  return code?.startsWith('o@') || code?.startsWith('!@') ? code.slice(2) : undefined;
}

function takeOver(
  object: Draft,
  source: { readonly from: KubernetesObject; readonly fields: readonly string[] },
): void {
  const old = source.from as unknown as Readonly<Record<string, unknown>>;
  for (const field of source.fields) {
    if (old[field] === undefined) delete object[field];
    else object[field] = copyJson(old[field]);
  }
}

/** Restores the stored metadata, except for managed fields and the resource version. */
function keepMetadata(object: Draft, old: KubernetesObject): void {
  const { managedFields, resourceVersion } = object.metadata;
  object.metadata = copyJson(old.metadata) as Draft['metadata'];
  delete object.metadata['managedFields'];
  if (managedFields !== undefined) object.metadata['managedFields'] = managedFields;
  if (resourceVersion !== undefined) object.metadata.resourceVersion = resourceVersion;
}
