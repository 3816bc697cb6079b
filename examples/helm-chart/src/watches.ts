import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import type { CustomResource } from '@kubewright/runtime';
import { parse } from 'yaml';

/** The values of a release. */
export type Values = Readonly<Record<string, unknown>>;
/** The observed state of a release. */
export interface ReleaseStatus {
  /** The release, and the generation of the reconciled object when the release was installed. */
  readonly deployedRelease?: { readonly name: string; readonly installedGeneration: number };
  readonly conditions?: readonly Condition[];
}
/** An object whose spec is the values of a release. */
export type Release = CustomResource<Values, ReleaseStatus>;

/** A kind in `watches.yaml`. */
interface DescribedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** @defaultValue the kind in lower case with an s */
  readonly plural?: string;
}

/** A kind with the chart that runs for each of its objects. */
export interface ChartWatch {
  readonly for: Kind<Release>;
  /** Path of the chart's folder. */
  readonly chart: string;
  /** The kinds that the chart contains. */
  readonly owns: readonly Kind<KubernetesObject>[];
  /** Values that no object can change, as arguments of `--set`. */
  readonly overrideValues: Readonly<Record<string, string>>;
}

/**
 * Reads a file in the format of operator-sdk's `watches.yaml`, extended by `owns`, the kinds of objects in the chart.
 */
export function readWatches(file: string): readonly ChartWatch[] {
  const entries = parse(readFileSync(file, 'utf8')) as readonly (DescribedKind & {
    readonly chart: string;
    readonly owns: readonly DescribedKind[];
    readonly overrideValues?: Readonly<Record<string, string>>;
  })[];
  return entries.map(({ chart, owns, overrideValues = {}, ...kind }) => ({
    for: kindOf<Release>(kind),
    chart: resolve(dirname(file), chart),
    owns: owns.map((each) => kindOf(each)),
    overrideValues,
  }));
}

function kindOf<T extends KubernetesObject>({ group, version, kind, plural }: DescribedKind): Kind<T> {
  return { group, version, kind, plural: plural ?? `${kind.toLowerCase()}s`, scope: 'Namespaced' };
}
