import type { Answer, Exchange } from './exchange.ts';

/** A difference from the real control plane that we accept. The list is closed: what is not in it is a fault. */
export interface AcceptedDifference {
  readonly command: string;
  readonly reason: string;
  /** Takes the difference out of what is expected. */
  readonly expected: (text: string) => string;
  /** Takes it out of what came. @defaultValue `expected` */
  readonly actual?: (text: string) => string;
  /** Whether the exit code differs, too. @defaultValue false */
  readonly exitCode?: boolean;
}

export const acceptedDifferences: readonly AcceptedDifference[] = [
  {
    command: 'explain pod.spec.restartPolicy',
    reason: "descriptions are those of kubernetes-types' declarations, which do not repeat a field's values",
    expected: (text) => text.replace(/ {4}Possible enum values:\n( {5}- .*\n)+\n/, ''),
  },
  {
    command: 'get endpoints web',
    reason: 'endpoints are published as EndpointSlices only; the controller of the deprecated Endpoints is not run',
    expected: () => '',
    exitCode: true,
  },
  {
    command: 'apply --prune -l group=pruned -f manifests/prune-both.yaml',
    reason: 'the deprecated Endpoints come without a warning',
    expected: (text) => text.replace(/^Warning: v1 Endpoints is deprecated.*\n/m, ''),
  },
  {
    command: `patch deployment web -p '{"spec":{"replicas":"many"}}'`,
    reason: 'the message of an undecodable patch shows the patched object instead of the patch',
    expected: (text) => text.replace(/Invalid value: .*/s, 'Invalid value'),
  },
];

/** A difference in answers, which kubectl's output does not show. Closed as well. */
export interface AcceptedAnswer {
  readonly reason: string;
  readonly where: (exchange: Exchange) => boolean;
  /** Takes the difference out of both answers. */
  readonly reduce: (answer: Answer) => Answer;
}

const NODE_FIELDS = new Set(['metadata.annotations', 'spec', 'spec.taints']);

export const acceptedAnswers: readonly AcceptedAnswer[] = [
  {
    reason: 'no controller annotates nodes with a TTL or mirrors spec.unschedulable as a taint',
    where: ({ path }) => /\/nodes\//.test(path),
    reduce: (answer) =>
      answer.fields ? { ...answer, fields: answer.fields.filter((name) => !NODE_FIELDS.has(name)) } : answer,
  },
  {
    reason: 'endpoints are published as EndpointSlices only',
    where: ({ path }) => /\/endpoints\/web/.test(path),
    reduce: () => ({ status: 0 }),
  },
  {
    reason: 'the message of an undecodable patch shows the patched object instead of the patch',
    where: ({ method, answer }) => method === 'PATCH' && answer.status === 422,
    reduce: ({ status, kind = '', reason = '' }) => ({ status, kind, reason }),
  },
  {
    reason:
      "the job's owner was answered in protobuf, so that its uid is not translated and the garbage collector acts",
    where: ({ path }) => /\/jobs\/by-hand/.test(path),
    reduce: () => ({ status: 0 }),
  },
];
