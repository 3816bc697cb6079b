import type { ObjectOf } from '@kubewright/apimachinery';
import { defineKind } from '@kubewright/runtime';

/** A measurement of one well. */
export interface WaterLevelSpec {
  /** Time of the measurement. @format date-time */
  readonly timestamp: string;
  /** Water level in metres. @double */
  readonly metres: number;
}

/** The water level of a well. It is computed on each read and not stored. */
export const WaterLevel = defineKind<WaterLevelSpec>({
  group: 'wells.example.com',
  version: 'v1',
  kind: 'WaterLevel',
  servedBy: 'aggregated',
  verbs: ['get', 'list'],
  columns: [{ name: 'Metres', jsonPath: '.spec.metres', type: 'number' }],
});
export type WaterLevel = ObjectOf<typeof WaterLevel>;
