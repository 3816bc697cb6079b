import { stringifyJson } from '@kubewright/apimachinery/internal';

/** Returns a string unchanged, and any other value as JSON: `String()` throws for an object with a field called `toString`. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}
