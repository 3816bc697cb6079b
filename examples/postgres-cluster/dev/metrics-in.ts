/** Returns the names of the instance metrics that occur in a string. */
export function metricsIn(text: string): readonly string[] {
  return [...new Set(text.match(/\bpostgres_instance_\w+/g) ?? [])];
}
