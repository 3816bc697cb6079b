import type { Clock } from '@kubewright/apimachinery';
import { defined, formatTime } from '@kubewright/apimachinery/internal';
import type { Draft, Strategy } from '../registry/strategy.ts';
import { acceptNames, type NamesInUse } from './accept-names.ts';
import type { SchemaTools } from './compile-version.ts';
import { formatWarnings, withoutGoZeroes } from './crd-schemas.ts';
import { validateCrd, validateCrdUpdate } from './crd-validation.ts';
import { type CrdCondition, type CustomResourceDefinition, cleanupFinalizer } from './custom-resource-definition.ts';

/** Options for the CRD strategy. */
export interface CrdStrategyOptions {
  readonly tools: SchemaTools;
  readonly clock: Clock;
  /** Returns the names accepted for other CRDs of the group. */
  readonly namesInUse: (crd: CustomResourceDefinition) => NamesInUse;
}

/**
 * Returns the strategy for writing CRDs. Upstream's controllers accept names and establish a CRD a moment later; a single server
 * can do both in the write itself, so a kind is served as soon as the response is sent.
 */
export function crdStrategy(options: CrdStrategyOptions): Strategy {
  const { tools } = options;
  return {
    generation: 'spec',
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: false,
    applyDefaults,
    prepareForCreate(object) {
      delete object['status'];
      settle(object, undefined, options);
    },
    prepareForUpdate(object, old) {
      const previous = old as CustomResourceDefinition;
      if (previous.status) object['status'] = previous.status;
      settle(object, previous, options);
    },
    deletionMark: 'timestamp',
    prepareForDelete(object) {
      object.metadata.finalizers = [...new Set([...(object.metadata.finalizers ?? []), cleanupFinalizer])];
      setCondition(object, options.clock, {
        type: 'Terminating',
        status: 'True',
        reason: 'InstanceDeletionPending',
        message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      });
    },
    warnings: (object) => formatWarnings(object as CustomResourceDefinition),
    // Decoding guarantees that the object is a CRD.
    validate: (object) => validateCrd(object as CustomResourceDefinition, tools),
    validateUpdate: (object, old) =>
      validateCrdUpdate(object as CustomResourceDefinition, old as CustomResourceDefinition, tools),
  };
}

/** Returns the strategy of the status subresource, which leaves the spec unchanged. */
export function crdStatusStrategy(options: CrdStrategyOptions): Strategy {
  return {
    ...crdStrategy(options),
    prepareForUpdate(object, old) {
      object['spec'] = (old as CustomResourceDefinition).spec;
    },
    validate: () => [],
    validateUpdate: () => [],
  };
}

function applyDefaults(object: Draft): void {
  // Go decodes a missing spec as an empty spec; validation reports the missing fields.
  const spec = (object['spec'] ?? {}) as Record<string, unknown>;
  object['spec'] = spec;
  const names = (spec['names'] ?? {}) as Record<string, unknown>;
  const kind = typeof names['kind'] === 'string' ? names['kind'] : '';
  if (kind !== '') {
    if (!names['singular']) names['singular'] = kind.toLowerCase();
    if (!names['listKind']) names['listKind'] = `${kind}List`;
  }
  spec['names'] = names;
  spec['conversion'] ??= { strategy: 'None' };
  withoutGoZeroes(spec);
}

function settle(object: Draft, old: CustomResourceDefinition | undefined, options: CrdStrategyOptions): void {
  // The CRD has not been validated yet, so any field may be missing.
  const crd = object as unknown as CustomResourceDefinition;
  const { names, versions } = crd.spec ?? {};
  if (!names?.plural || !Array.isArray(versions)) return;
  const { accepted, condition } = acceptNames(crd, options.namesInUse(crd));
  const status = { ...(crd.status ?? {}) } as Record<string, unknown>;
  const stored = versions.find(({ storage }) => storage)?.name;
  status['storedVersions'] = [...new Set([...(old?.status?.storedVersions ?? []), ...(stored ? [stored] : [])])];
  status['acceptedNames'] = accepted;
  object['status'] = status;
  setCondition(object, options.clock, condition);
  const wasEstablished = old?.status?.conditions?.some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );
  if (wasEstablished) return;
  setCondition(object, options.clock, established(condition.status === 'True'));
}

function established(accepted: boolean): CrdCondition {
  return accepted
    ? {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      }
    : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
}

function setCondition(object: Draft, clock: Clock, condition: CrdCondition): void {
  const status = { ...((object['status'] as Record<string, unknown> | undefined) ?? {}) };
  const conditions = [...((status['conditions'] as CrdCondition[] | undefined) ?? [])];
  const at = conditions.findIndex(({ type }) => type === condition.type);
  const since = at >= 0 && conditions[at]?.status === condition.status ? conditions[at].lastTransitionTime : undefined;
  const { type, status: value, reason, message } = condition;
  const lastTransitionTime = since ?? formatTime(clock.now());
  conditions[at < 0 ? conditions.length : at] = {
    type,
    status: value,
    lastTransitionTime,
    ...defined({ reason, message }),
  };
  status['conditions'] = conditions;
  object['status'] = status;
}
