/** Returns the names of the metrics of instances, poolers or clusters that occur in a string. */
export function metricsIn(text: string, of: 'instance' | 'pooler' | 'cluster' = 'instance'): readonly string[] {
  return [...new Set(text.match(new RegExp(`\\bpostgres_${of}_\\w+`, 'g')) ?? [])];
}
