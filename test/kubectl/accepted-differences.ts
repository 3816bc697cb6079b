import type { Answer, Exchange } from './exchange.ts';

/** An accepted difference from the real control plane. Any difference that is not listed is a bug. */
export interface AcceptedDifference {
  readonly command: string;
  readonly reason: string;
  /** Removes the difference from the expected text. */
  readonly expected: (text: string) => string;
  /** Removes the difference from the actual text. @defaultValue `expected` */
  readonly actual?: (text: string) => string;
  /** True if the exit code also differs. @defaultValue false */
  readonly exitCode?: boolean;
}

export const acceptedDifferences: readonly AcceptedDifference[] = [
  {
    command: 'get hpa',
    reason: 'a new autoscaler is checked immediately, upstream after its first period of 15 s',
    expected: (text) => text.replace(/\d+( +<age>)/, 'N$1'),
  },
  {
    command: 'explain pod.spec.restartPolicy',
    reason: "descriptions are those of kubernetes-types' declarations, which do not repeat a field's values",
    expected: (text) => text.replace(/ {4}Possible enum values:\n( {5}- .*\n)+\n/, ''),
  },
];

/**
 * An accepted difference in a response that does not show in kubectl's output. Any difference that is not listed is a bug.
 */
export interface AcceptedAnswer {
  readonly reason: string;
  readonly where: (exchange: Exchange) => boolean;
  /** Removes the difference from both responses. */
  readonly reduce: (answer: Answer) => Answer;
}

const QUESTION_FIELDS = new Set(['metadata.managedFields', 'metadata.uid', 'spec.boundObjectRef']);
const NODE_FIELDS = new Set(['metadata.annotations']);

export const acceptedAnswers: readonly AcceptedAnswer[] = [
  {
    reason: 'no controller annotates nodes with a TTL',
    where: ({ path }) => /\/nodes\//.test(path),
    reduce: (answer) =>
      answer.fields ? { ...answer, fields: answer.fields.filter((name) => !NODE_FIELDS.has(name)) } : answer,
  },
  {
    reason: 'a review that is not stored has no uid or managed fields; protobuf does not distinguish null from absent',
    where: ({ method, path }) => method === 'POST' && /(reviews|\/token)(\?|$)/.test(path),
    reduce: (answer) =>
      answer.fields ? { ...answer, fields: answer.fields.filter((name) => !QUESTION_FIELDS.has(name)) } : answer,
  },
  {
    reason: 'which of two equal nodes a pod went to is chance',
    where: ({ path }) => path.includes('fieldSelector=spec.nodeName'),
    reduce: ({ status, kind = '' }) => ({ status, kind }),
  },
  {
    reason:
      "the job's owner was answered in protobuf, so that its uid is not translated and the garbage collector acts",
    where: ({ path }) => /\/jobs\/by-hand/.test(path),
    reduce: () => ({ status: 0 }),
  },
];
