import type { ObjectOf } from '@kubewright/apimachinery';
import { defineKind } from '@kubewright/runtime';

/**
 * The depth of a well, and how its water is raised.
 *
 * @rule self.depth <= 100 || self.pump == 'motor'
 * @message a well deeper than 100 metres needs a motor
 */
export interface WellSpec {
  /**
   * How deep the well is, in metres.
   * @int32 @minimum 1
   */
  readonly depth: number;
  /** How water is raised. @default bucket */
  readonly pump?: 'bucket' | 'hand' | 'motor';
}

/** A well is stored by this API server, not by the cluster's. */
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
