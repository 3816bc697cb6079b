import type { Condition, IntOrString } from '@kubewright/apimachinery';
import type { PodTemplateSpec } from '@kubewright/apimachinery/core/v1';
import { type AggregatedResource, type DefinedKind, defineKind } from '@kubewright/runtime';

/** Where the water is, and how it is brought up. */
interface WellSpec {
  /**
   * How deep the well is, in metres.
   * @int32 @minimum 1
   */
  readonly depth: number;
  /** What brings the water up. @default bucket */
  readonly pump?: 'bucket' | 'hand' | 'motor';
  /** Share of the water that may be taken. */
  readonly share?: IntOrString;
  /** Layers from above. @listType map @listMapKey name */
  readonly layers?: readonly Layer[];
  /** What runs beside the pump. */
  readonly template?: PodTemplateSpec;
  readonly labels?: Readonly<Record<string, string>>;
}

/** One kind of ground. */
interface Layer {
  readonly name: string;
  /** @quantity */
  readonly thickness?: string;
}

/** What was found. */
interface WellStatus {
  /** @listType map @listMapKey type */
  readonly conditions?: readonly Condition[];
}

/** A hole with water in it. */
export const Well: DefinedKind<AggregatedResource<WellSpec, WellStatus>> = defineKind<WellSpec, WellStatus>({
  group: 'wells.example.com',
  version: 'v1',
  kind: 'Well',
  shortNames: ['wl'],
  servedBy: 'aggregated',
});
