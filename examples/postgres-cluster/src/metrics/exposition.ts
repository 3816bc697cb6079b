import type { Metric, Sample } from './metric.ts';

/** Content type of Prometheus's text format. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

/** Formats samples in Prometheus's text format, in the order of `metrics`. */
export function exposition(metrics: readonly Metric[], samples: readonly Sample[]): string {
  const lines = metrics.flatMap(({ name, type, help }) => {
    const found = samples.filter((sample) => sample.name === name);
    return found.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...found.map(lineOf)];
  });
  return lines.map((line) => `${line}\n`).join('');
}

function lineOf({ name, labels, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}{${pairs.join(',')}} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
