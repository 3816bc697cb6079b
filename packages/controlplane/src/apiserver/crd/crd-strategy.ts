import { type Clock, formatTime } from '@kubewright/apimachinery';
import type { Draft, Strategy } from '../registry/strategy.ts';
import { acceptNames, type NamesInUse } from './accept-names.ts';
import type { SchemaTools } from './compile-version.ts';
import { formatWarnings, withoutGoZeroes } from './crd-schemas.ts';
import { validateCrd, validateCrdUpdate } from './crd-validation.ts';
import { CLEANUP_FINALIZER, type CrdCondition, type CustomResourceDefinition } from './custom-resource-definition.ts';

/** What the CRDs' own strategy is made of. */
export interface CrdStrategyOptions {
  readonly tools: SchemaTools;
  readonly clock: Clock;
  /** Names that other CRDs of the group have. */
  readonly namesInUse: (crd: CustomResourceDefinition) => NamesInUse;
}

/**
 * How CRDs are written. Upstream accepts names and establishes in controllers a moment later; one server can do both in
 * the write itself, so a kind is served as soon as its CRD is answered.
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
      object.metadata.finalizers = [...new Set([...(object.metadata.finalizers ?? []), CLEANUP_FINALIZER])];
      setCondition(object, options.clock, {
        type: 'Terminating',
        status: 'True',
        reason: 'InstanceDeletionPending',
        message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      });
    },
    warnings: (object) => formatWarnings(object as CustomResourceDefinition),
    // Decoding has made it a CRD.
    validate: (object) => validateCrd(object as CustomResourceDefinition, tools),
    validateUpdate: (object, old) =>
      validateCrdUpdate(object as CustomResourceDefinition, old as CustomResourceDefinition, tools),
  };
}

/** The status subresource: spec stays as it is. */
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
  // Go has an empty spec where none was sent: validation says what it lacks.
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
  // Validation follows and refuses what is not a CRD; until then only what is certainly there is read.
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
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  };
  status['conditions'] = conditions;
  object['status'] = status;
}
