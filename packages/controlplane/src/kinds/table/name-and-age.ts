import type { KubernetesObject } from '@kubewright/apimachinery';
import { ageOf } from '@kubewright/apiserver/internal';

/** Returns the cells of a kind that has no columns other than name and age. */
export function nameAndAge({ metadata }: KubernetesObject, nowMs: number): readonly unknown[] {
  return [metadata.name, ageOf(metadata.creationTimestamp, nowMs)];
}

/** The columns of {@link nameAndAge}. */
export const nameAndAgeColumns = [
  { name: 'Name', type: 'string', format: 'name', priority: 0 },
  { name: 'Age', type: 'string', format: '', priority: 0 },
] as const;
