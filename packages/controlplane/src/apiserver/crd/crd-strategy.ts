import type { Clock } from '@kubewright/apimachinery';
import { formatTime } from '../registry/registry-services.ts';
import type { Draft, Strategy } from '../registry/strategy.ts';
import type { SchemaTools } from './compile-version.ts';
import { validateCrd, validateCrdUpdate } from './crd-validation.ts';
import {
  CLEANUP_FINALIZER,
  type CrdCondition,
  type CrdNames,
  type CustomResourceDefinition,
} from './custom-resource-definition.ts';

/** Tells which of a CRD's names another resource of its group has already. */
export type FindNameConflicts = (crd: CustomResourceDefinition) => readonly string[];

/** What the CRDs' own strategy is made of. */
export interface CrdStrategyOptions {
  readonly tools: SchemaTools;
  readonly clock: Clock;
  readonly nameConflicts: FindNameConflicts;
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
    prepareForDelete(object) {
      object.metadata.finalizers = [...new Set([...(object.metadata.finalizers ?? []), CLEANUP_FINALIZER])];
      setCondition(object, options.clock, {
        type: 'Terminating',
        status: 'True',
        reason: 'InstanceDeletionPending',
        message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      });
    },
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
  const spec = object['spec'] as Record<string, unknown> | undefined;
  if (spec === undefined || spec === null) return;
  const names = (spec['names'] ?? {}) as Record<string, unknown>;
  const kind = typeof names['kind'] === 'string' ? names['kind'] : '';
  if (kind !== '') {
    if (!names['singular']) names['singular'] = kind.toLowerCase();
    if (!names['listKind']) names['listKind'] = `${kind}List`;
  }
  spec['names'] = names;
  spec['versions'] ??= [];
  spec['conversion'] ??= { strategy: 'None' };
}

function settle(object: Draft, old: CustomResourceDefinition | undefined, options: CrdStrategyOptions): void {
  // Validation follows and refuses what is not a CRD; until then only what is certainly there is read.
  const crd = object as unknown as CustomResourceDefinition;
  const { names, versions } = crd.spec ?? {};
  if (!names?.plural || !Array.isArray(versions)) return;
  const conflicts = options.nameConflicts(crd);
  const status = { ...(crd.status ?? {}) } as Record<string, unknown>;
  const stored = versions.find(({ storage }) => storage)?.name;
  status['storedVersions'] = [...new Set([...(old?.status?.storedVersions ?? []), ...(stored ? [stored] : [])])];
  if (conflicts.length === 0) status['acceptedNames'] = acceptedNames(names);
  else status['acceptedNames'] ??= { plural: '', kind: '' };
  object['status'] = status;
  setCondition(object, options.clock, namesAccepted(conflicts));
  const wasEstablished = old?.status?.conditions?.some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );
  if (wasEstablished) return;
  setCondition(object, options.clock, established(conflicts.length === 0));
}

function acceptedNames({ plural, singular, kind, listKind, shortNames, categories }: CrdNames): CrdNames {
  return {
    plural,
    ...(singular && { singular }),
    ...(shortNames && shortNames.length > 0 && { shortNames }),
    kind,
    ...(listKind && { listKind }),
    ...(categories && categories.length > 0 && { categories }),
  };
}

function namesAccepted(conflicts: readonly string[]): CrdCondition {
  const [first] = conflicts;
  return first === undefined
    ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
    : { type: 'NamesAccepted', status: 'False', reason: 'NameConflict', message: first };
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
