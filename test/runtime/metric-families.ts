/** The metadata of one metric in a scrape, without its values. */
export interface MetricFamily {
  readonly help: string;
  readonly type: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram. */
  readonly buckets: readonly string[];
}

/** Parses the text format of metrics. */
export function readMetrics(lines: readonly string[]): ReadonlyMap<string, MetricFamily> {
  const families = new Map<string, { help: string; type: string; labels: Set<string>; buckets: Set<string> }>();
  const familyOf = (name: string) => {
    const family = families.get(name) ?? { help: '', type: '', labels: new Set(), buckets: new Set() };
    families.set(name, family);
    return family;
  };
  for (const line of lines) {
    const head = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line);
    if (head?.[1] === 'HELP') familyOf(head[2]!).help = head[3]!;
    else if (head) familyOf(head[2]!).type = head[3]!;
    const sample = /^([a-z_]+)(?:\{(.*)\})? /.exec(line);
    if (!sample) continue;
    const own = sample[1]!;
    const family = families.has(own) ? familyOf(own) : familyOf(own.replace(/_(bucket|sum|count)$/, ''));
    for (const [, label, value] of (sample[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      if (label === 'le') family.buckets.add(value!);
      else family.labels.add(label!);
    }
  }
  return new Map(
    [...families].map(([name, { help, type, labels, buckets }]) => [
      name,
      { help, type, labels: [...labels].sort(), buckets: [...buckets] },
    ]),
  );
}
