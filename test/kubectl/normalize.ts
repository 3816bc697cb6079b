import type { Step } from './matrix.ts';
import type { Outcome } from './run-kubectl.ts';

/** Addresses and folders of a run. They differ between runs, and patterns cannot recognize them. */
export interface RunPlaces {
  /** `host:port` of the API server. */
  readonly server: string;
  /** HOME and temporary folder of kubectl. */
  readonly home: string;
}

/** The alphabet of kubectl's random names: no vowels, and no 0, 1 or 3. */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';

/** Replacements, in order. Text that varies between runs becomes a word in angle brackets. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // Only our server warns about fields that it does not implement.
  [/^Warning: kubewright: .*\n/gm, ''],
  [/^WARNING: version difference between client .*\n/gm, ''],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>'],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( ?[+-]\d{4}|Z)?/g, '<time>'],
  [/^([IWE])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /gm, '$1<klog> '],
  [/in \d+ milliseconds/g, 'in <n> milliseconds'],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/(resourceVersion["']?: ?)"?\d+"?/gi, '$1"<version>"'],
  [/(resourceVersion=)\d+/g, '$1<version>'],
  [/\b10\.244\.\d+\.\d+\b/g, '<pod-ip>'],
  [/\b10\.96\.\d+\.\d+\b/g, '<cluster-ip>'],
  [/\b3[0-2]\d{3}\b/g, '<node-port>'],
  [/\.[0-9a-f]{16}\b/g, '.<event>'],
  // Must precede the replacement of hashes, because a random number may look like one.
  [/(LIVE|MERGED)-\d+/g, '$1-<n>'],
  [/kubectl-edit-\d+/g, 'kubectl-edit-<n>'],
  [/(pod-template-hash["']?[=:] ?"?)[a-z0-9]+/g, '$1<hash>'],
  [new RegExp(`-[${SAFE}]{8,10}-[${SAFE}]{5}\\b`, 'g'), '-<hash>-<id>'],
  [new RegExp(`-[${SAFE}]{8,10}\\b`, 'g'), '-<hash>'],
  [new RegExp(`-(?=[a-z]*\\d|[${SAFE}]*[${SAFE}])[${SAFE}]{5}\\b`, 'g'), '-<id>'],
  [/\b\d{1,3}s\b|\b\d{1,2}m\d{1,2}s\b/g, '<age>'],
  [/(Resource Version: +)\d+/g, '$1<version>'],
  // Columns are as wide as their longest cell. The output of `diff` keeps its indentation.
  [/(?<!^)(\S)[ \t]{2,}|^([^\s+-])[ \t]{2,}/gm, '$1$2   '],
  [/[ \t]+$/gm, ''],
];

/** Normalizes text so that two runs are comparable. */
export function normalize(text: string, places: RunPlaces): string {
  let result = text.replaceAll(places.server, '<server>').replaceAll(places.home, '<home>');
  result = result.replaceAll(/https?:\/\/<server>/g, '<server>');
  for (const [pattern, replacement] of PATTERNS) result = result.replace(pattern, replacement);
  return result;
}

/** Normalizes the outcome of a command, including node names: the scheduler chooses at random between equal nodes. */
export function normalizeOutcome(outcome: Outcome, step: Step, places: RunPlaces): Outcome {
  const aboutNodes = /\bnodes?\b/.test(step.command);
  const text = (raw: string): string => {
    const result = normalize(raw, places);
    return reduce(aboutNodes ? result : result.replace(/\bnode-[12]\b/g, 'node-<n>'), step.compare ?? 'all');
  };
  const { stdout, stderr, exitCode } = outcome;
  return { stdout: text(stdout), stderr: text(stderr), exitCode };
}

function reduce(text: string, compare: NonNullable<Step['compare']>): string {
  const lines = text.split('\n').filter((line) => line !== '');
  switch (compare) {
    case 'all':
      return text;
    case 'sorted lines':
      return lines.sort().join('\n');
    case 'last line':
      return lines.at(-1) ?? '';
    case 'exit code':
      return '';
  }
}
