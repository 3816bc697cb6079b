import { WaterLevel } from './api/v1/water-level.ts';

const dayMs = 86_400_000;
const places: readonly string[] = ['garden', 'yard'];

/** Measures the water level at each location in a namespace. The level rises and falls by a metre each day. */
export function measure(namespace: string, nowMs: number): readonly WaterLevel[] {
  const tide = Math.sin((2 * Math.PI * nowMs) / dayMs);
  return places.map((name, i) =>
    WaterLevel({
      metadata: { name, namespace },
      spec: { timestamp: new Date(nowMs).toISOString(), metres: Math.round(10 * (4 + i + tide)) / 10 },
    }),
  );
}
