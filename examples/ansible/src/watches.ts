import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import type { CustomResource } from '@kubewright/runtime';
import { parse } from 'yaml';

/** Number of tasks by result, and number of unreachable hosts. */
export interface TaskCounts {
  readonly ok: number;
  readonly changed: number;
  readonly skipped: number;
  readonly failures: number;
  readonly unreachable: number;
}

/** An object whose spec becomes the variables of a playbook. */
export type Played = CustomResource<Readonly<Record<string, unknown>>, { readonly ansibleResult?: TaskCounts }>;

/** A kind with the playbook that runs for each of its objects. */
export interface PlaybookWatch {
  readonly for: Kind<Played>;
  /** Path of the playbook. */
  readonly playbook: string;
  /** The kinds of objects that the playbook creates. */
  readonly owns: readonly Kind<KubernetesObject>[];
}

type Entry = Pick<Kind<unknown>, 'group' | 'version' | 'kind'> & { readonly plural?: string };

/**
 * Reads a file in the format of operator-sdk's `watches.yaml`, extended by `owns`, the kinds of objects that the
 * playbook creates.
 */
export function readWatches(file: string): readonly PlaybookWatch[] {
  const entries = parse(readFileSync(file, 'utf8')) as readonly (Entry & {
    readonly playbook: string;
    readonly owns: readonly Entry[];
  })[];
  const complete = (entry: Entry) =>
    ({ plural: `${entry.kind.toLowerCase()}s`, scope: 'Namespaced', ...entry }) as const;
  return entries.map(({ playbook, owns, ...kind }) => ({
    for: complete(kind),
    playbook: resolve(dirname(file), playbook),
    owns: owns.map(complete),
  }));
}
