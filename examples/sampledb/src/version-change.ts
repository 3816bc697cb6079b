import type { SampleDB } from './api/v1/sample-db.ts';

/** The installation of a version, or the upgrade to another. */
export interface VersionChange {
  /** The version whose data is migrated; undefined for a new database. */
  readonly from: string | undefined;
  readonly to: string;
}

/**
 * Returns the change that is in progress or due. A change that has begun is completed before the next one begins, even
 * if the spec changes in the meantime.
 */
export function versionChange({ spec, status }: Pick<SampleDB, 'spec' | 'status'>): VersionChange | undefined {
  const { version: from, target: to = spec.version } = status ?? {};
  return from === to ? undefined : { from, to };
}
