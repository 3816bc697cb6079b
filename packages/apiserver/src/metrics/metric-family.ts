/** Labels of a sample, in output order. */
export type Labels = Readonly<Record<string, string>>;

/** Samples under one name, in the Prometheus text format (0.0.4). */
export interface MetricFamily {
  /** Returns all lines, each with its line feed. */
  render(): string;
}

/** A monotonically increasing number per label set. */
export class Counter implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #values = new Map<string, number>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(labels: Labels, by = 1): void {
    const key = labelText(labels);
    this.#values.set(key, (this.#values.get(key) ?? 0) + by);
  }

  render(): string {
    const samples = [...this.#values].map(([labels, value]) => sample(this.#name, labels, value));
    return head(this.#name, this.#help, 'counter') + samples.join('');
  }
}

/** Counts observations below each of several bounds, per label set. */
export class Histogram implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, { readonly counts: number[]; sum: number; count: number }>();

  constructor(name: string, options: { readonly help: string; readonly bounds: readonly number[] }) {
    this.#name = name;
    this.#help = options.help;
    this.#bounds = options.bounds;
  }

  observe(labels: Labels, value: number): void {
    const key = labelText(labels);
    let series = this.#series.get(key);
    if (!series) {
      series = { counts: new Array<number>(this.#bounds.length).fill(0), sum: 0, count: 0 };
      this.#series.set(key, series);
    }
    series.sum += value;
    series.count++;
    // Buckets are disjoint in memory and summed up on output: one step per observation instead of one per bound.
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    if (bucket >= 0) series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
  }

  render(): string {
    let text = head(this.#name, this.#help, 'histogram');
    for (const [labels, { counts, sum, count }] of this.#series) {
      const below = (bound: string): string => `${labels}${labels === '' ? '' : ','}le="${bound}"`;
      let total = 0;
      this.#bounds.forEach((bound, index) => {
        total += counts[index] ?? 0;
        text += sample(`${this.#name}_bucket`, below(formatNumber(bound)), total);
      });
      text += sample(`${this.#name}_bucket`, below('+Inf'), count);
      text += sample(`${this.#name}_sum`, labels, sum) + sample(`${this.#name}_count`, labels, count);
    }
    return text;
  }
}

/** Renders values that are read on demand. */
export function renderGauge(
  name: string,
  options: {
    readonly help: string;
    readonly samples: readonly (readonly [Labels, number])[];
    readonly type?: 'gauge' | 'counter';
  },
): string {
  const { help, samples, type = 'gauge' } = options;
  return head(name, help, type) + samples.map(([labels, value]) => sample(name, labelText(labels), value)).join('');
}

function head(name: string, help: string, type: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function sample(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${formatNumber(value)}\n`;
}

function labelText(labels: Labels): string {
  let text = '';
  for (const name in labels) text += `${text === '' ? '' : ','}${name}="${escapeLabel(labels[name] ?? '')}"`;
  return text;
}

function escapeLabel(value: string): string {
  return /[\\"\n]/.test(value) ? value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n') : value;
}

/** Formats a number like Go's `%g`: exponents have a sign and two digits. */
function formatNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  const magnitude = Math.abs(value);
  if (value === 0 || (magnitude >= 1e-4 && magnitude < 1e21)) return `${value}`;
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}
