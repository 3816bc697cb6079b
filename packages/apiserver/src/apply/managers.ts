import { defined, FieldSet } from '@kubewright/apimachinery/internal';
import { isRecord } from '@kubewright/schema/internal';

/** One entry of `metadata.managedFields` (meta/v1 `ManagedFieldsEntry`). */
export interface ManagedFieldsRecord {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: unknown;
  readonly subresource?: string;
}

/** A decoded entry: a manager and the fields it owns. */
export interface Manager {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly set: FieldSet;
  /** The set as stored, so that unchanged sets are not serialized again. */
  readonly stored?: { readonly set: FieldSet; readonly fieldsV1: unknown } | undefined;
}

/** Managers by their identity. */
export type Managers = Map<string, Manager>;

/**
 * Returns the identity of a manager in upstream's form: name, operation, version (not for appliers) and subresource. Messages
 * list managers in the order of their identities.
 */
export function identityOf(entry: Pick<Manager, 'manager' | 'operation' | 'apiVersion' | 'subresource'>): string {
  return JSON.stringify({
    manager: entry.manager === '' ? undefined : entry.manager,
    operation: entry.operation === '' ? undefined : entry.operation,
    apiVersion: entry.operation === 'Apply' || entry.apiVersion === '' ? undefined : entry.apiVersion,
    subresource: entry.subresource === '' ? undefined : entry.subresource,
  });
}

/**
 * Decodes `metadata.managedFields`; returns `undefined` if an entry is malformed. Entries of a stored object are in
 * canonical form; entries of a request may not be.
 */
export function decodeManagers(
  entries: readonly unknown[],
  from: 'storage' | 'request' = 'storage',
): Managers | undefined {
  const managers: Managers = new Map();
  for (const entry of entries) {
    if (!isRecord(entry)) return undefined;
    const { operation, fieldsType } = entry;
    if ((operation !== 'Apply' && operation !== 'Update') || fieldsType !== 'FieldsV1') return undefined;
    const set = FieldSet.tryParse(entry['fieldsV1'] ?? {});
    if (set === undefined) return undefined;
    const manager: Manager = {
      manager: text(entry['manager']),
      operation,
      apiVersion: text(entry['apiVersion']),
      subresource: text(entry['subresource']),
      time: typeof entry['time'] === 'string' ? entry['time'] : undefined,
      set,
      ...(from === 'storage' ? { stored: { set, fieldsV1: entry['fieldsV1'] ?? {} } } : {}),
    };
    managers.set(identityOf(manager), manager);
  }
  return managers;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Encodes managers as `metadata.managedFields`: appliers first, then by time, name, version, subresource. */
export function encodeManagers(managers: Managers): readonly ManagedFieldsRecord[] {
  const sorted = [...managers.values()].sort(compareManagers);
  return sorted.map((manager) => ({
    ...(manager.manager === '' ? {} : { manager: manager.manager }),
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...defined({ time: manager.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: manager.stored?.set === manager.set ? manager.stored.fieldsV1 : manager.set.toFieldsV1(),
    ...(manager.subresource === '' ? {} : { subresource: manager.subresource }),
  }));
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compare(a.operation, b.operation) ||
    compare(a.time ?? '', b.time ?? '') ||
    compare(a.manager, b.manager) ||
    compare(a.apiVersion, b.apiVersion) ||
    compare(a.subresource, b.subresource)
  );
}

/** Compares strings. Times are UTC with whole seconds, so their text order is chronological. */
export function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

const maxUpdaters = 10;

/** Merges the oldest updaters of a version into `ancient-changes` until ten updaters remain. */
export function capUpdaters(managers: Managers): void {
  if (managers.size <= maxUpdaters) return;
  const updaters = [...managers]
    .filter(([, manager]) => manager.operation !== 'Apply')
    .sort(([idA, a], [idB, b]) => compare(a.time ?? '', b.time ?? '') || compare(idA, idB));
  let count = updaters.length;
  const first = new Map<string, string>();
  for (const [id, manager] of updaters) {
    if (count <= maxUpdaters) return;
    const { apiVersion } = manager;
    const bucket = { manager: 'ancient-changes', operation: 'Update', apiVersion, subresource: '' };
    const bucketId = identityOf(bucket);
    const oldest = first.get(apiVersion);
    if (oldest === undefined) {
      first.set(apiVersion, id);
      continue;
    }
    const start = managers.get(bucketId) ?? managers.get(oldest);
    if (!managers.has(bucketId)) managers.delete(oldest);
    managers.delete(id);
    managers.set(bucketId, { ...bucket, time: manager.time, set: manager.set.union(start?.set ?? FieldSet.empty) });
    count--;
  }
}

const maxName = 128;

/**
 * Returns the default manager name of a request: the `User-Agent` up to the first slash, limited to 128 printable
 * characters.
 */
export function defaultManagerName(userAgent: string): string {
  const prefix = userAgent.split('/')[0] ?? '';
  return prefix.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '').slice(0, maxName);
}
