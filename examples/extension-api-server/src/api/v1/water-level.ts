import type { ObjectOf } from '@kubewright/apimachinery';
import { defineKind } from '@kubewright/runtime';

/** A measurement of one well. */
export interface WaterLevelSpec {
  /** When it was measured. @format date-time */
  readonly timestamp: string;
  /** Metres of water. @double */
  readonly metres: number;
}

/** The water level is computed when a client reads it; nothing is stored. */
export const WaterLevel = defineKind<WaterLevelSpec>({
  group: 'wells.example.com',
  version: 'v1',
  kind: 'WaterLevel',
  servedBy: 'aggregated',
  verbs: ['get', 'list'],
  columns: [{ name: 'Metres', jsonPath: '.spec.metres', type: 'number' }],
});
export type WaterLevel = ObjectOf<typeof WaterLevel>;
