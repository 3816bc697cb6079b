/** Returns the names of the metrics of instances, or of poolers, that occur in a string. */
export function metricsIn(text: string, of: 'instance' | 'pooler' = 'instance'): readonly string[] {
  return [...new Set(text.match(new RegExp(`\\bpostgres_${of}_\\w+`, 'g')) ?? [])];
}
