import type { ObjectOf } from '@kubewright/apimachinery';
import { defineKind } from '@kubewright/runtime';

/**
 * The depth and the pump of a well.
 *
 * @rule self.depth <= 100 || self.pump == 'motor'
 * @message a well deeper than 100 metres needs a motor
 */
export interface WellSpec {
  /**
   * Depth in metres.
   * @int32 @minimum 1
   */
  readonly depth: number;
  /** Device that raises the water. @default bucket */
  readonly pump?: 'bucket' | 'hand' | 'motor';
}

/** A well. It is stored by this API server instead of the cluster's API server. */
export const Well = defineKind<WellSpec>({
  group: 'wells.example.com',
  version: 'v1',
  kind: 'Well',
  servedBy: 'aggregated',
  shortNames: ['we'],
  columns: [
    { name: 'Depth', jsonPath: '.spec.depth', type: 'integer' },
    { name: 'Pump', jsonPath: '.spec.pump' },
  ],
  selectableFields: ['.spec.pump'],
});
export type Well = ObjectOf<typeof Well>;
