/** Returns the names of instance metrics in a text. */
export function metricsIn(text: string): readonly string[] {
  return [...new Set(text.match(/\bpostgres_instance_\w+/g) ?? [])];
}
