import { resolve } from 'node:path';
import { EmbeddedCluster } from '@kubewright/controlplane';
import type { Context } from '../program/context.ts';

/** A folder with the objects of a cluster (`--data` of `cluster up`). */
export interface SnapshotOptions {
  readonly data: string;
}

/** Writes the objects of a stopped cluster to a file. */
export async function snapshot(context: Context, file: string, options: SnapshotOptions): Promise<void> {
  const places = placesOf(context, file, options);
  const summary = await EmbeddedCluster.saveSnapshot(places);
  context.reporter.result(
    { snapshot: { file: places.file, ...summary } },
    `✓ snapshot saved       ${places.file} (${summary.objects} objects)\n`,
  );
}

/** Replaces the objects of a stopped cluster with those in a file. */
export async function restore(context: Context, file: string, options: SnapshotOptions): Promise<void> {
  const places = placesOf(context, file, options);
  const summary = await EmbeddedCluster.loadSnapshot(places);
  context.reporter.result(
    { restored: { data: places.data, ...summary } },
    `✓ snapshot restored    ${places.data} (${summary.objects} objects)\n`,
  );
}

function placesOf({ environment: { cwd, clock } }: Context, file: string, { data }: SnapshotOptions) {
  return { file: resolve(cwd, file), data: resolve(cwd, data), clock };
}
