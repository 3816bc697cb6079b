import type { KubernetesObject } from '@kubewright/apimachinery';
import { ageOf } from './age.ts';

/** The row of kinds that have nothing else to show. */
export function nameAndAge({ metadata }: KubernetesObject, nowMs: number): readonly unknown[] {
  return [metadata.name, ageOf(metadata.creationTimestamp, nowMs)];
}
