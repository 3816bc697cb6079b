// Compares the embedded cluster with a recording of kubectl 1.32 on kube-apiserver 1.36.3, made by
// `KUBECONFIG=… node test/kubectl/record.mjs`.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { HttpTransport, loadClientConfig } from '@kubewright/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptedAnswers, acceptedDifferences } from './accepted-differences.ts';
import type { Answer, Exchange } from './exchange.ts';
import { changesSomething, matrix, type Step } from './matrix.ts';
import { normalizeOutcome } from './normalize.ts';
import { PlayedCluster } from './played-cluster.ts';
import type { RecordedStep, Recording } from './recording.ts';
import { Replay } from './replay.ts';
import { kubectlMinor, type Outcome, runKubectl } from './run-kubectl.ts';
import { Settling } from './settle.ts';

const folder = fileURLToPath(new URL('testdata/', import.meta.url));
const recording = JSON.parse(readFileSync(`${folder}recorded.json`, 'utf8')) as Recording;
const recorded = (index: number): RecordedStep => recording.steps[index] as RecordedStep;
const minor = kubectlMinor();
const sameKubectl = minor === 32;
const why = sameKubectl
  ? ''
  : ` (${minor === undefined ? 'kubectl not found' : `kubectl is 1.${minor}, recorded with 1.32`})`;

describe('the recording', () => {
  it('contains the commands of the matrix, at least sixty', () => {
    expect(recording.steps.map(({ command }) => command)).toEqual(matrix.map(({ command }) => command));
    expect(matrix.length).toBeGreaterThanOrEqual(60);
  });

  it('accepts differences only for commands of the matrix', () => {
    for (const { command } of acceptedDifferences) expect(matrix.map((step) => step.command)).toContain(command);
  });
});

describe.skipIf(!sameKubectl)(`kubectl against the embedded cluster${why}`, () => {
  let played: PlayedCluster;
  let settling: Settling;
  beforeAll(async () => {
    played = await PlayedCluster.start();
    settling = new Settling(played.client, pause);
  });
  afterAll(() => played?.[Symbol.asyncDispose]());

  it.each(matrix.map((step, index) => ({ step, index, command: step.command })))(
    'prints the recorded output: $command',
    async ({ step, index }) => {
      const { kubeconfig } = played.cluster;
      const places = { server: played.server, home: played.home };
      const raw = await runKubectl(step, {
        kubeconfig,
        home: played.home,
        folder,
        signal: AbortSignal.timeout(15_000),
      });
      const moving = changesSomething(step) ? await settling.rest() : [];
      const { stdout, stderr, exitCode } = recorded(index);
      const outcome = withoutAccepted(normalizeOutcome(raw, step, places), step, 'actual');
      expect({ ...outcome, moving }).toEqual({
        ...withoutAccepted({ stdout, stderr, exitCode }, step, 'expected'),
        moving: [],
      });
    },
  );
});

describe('requests of kubectl against the embedded cluster', () => {
  let played: PlayedCluster;
  let settling: Settling;
  let transport: HttpTransport;
  let replay: Replay;
  beforeAll(async () => {
    played = await PlayedCluster.start();
    settling = new Settling(played.client, pause);
    const { server, trust, credentials } = await loadClientConfig({ kubeconfig: played.cluster.kubeconfig });
    transport = new HttpTransport({ server, trust, credentials });
    replay = new Replay(transport, { server: played.server, home: played.home });
  });
  afterAll(async () => {
    await transport?.[Symbol.asyncDispose]();
    await played?.[Symbol.asyncDispose]();
  });

  it.each(matrix.map((step, index) => ({ step, index, command: step.command })))(
    'get the recorded responses: $command',
    async ({ step, index }) => {
      const expected: Compared[] = [];
      const actual: Compared[] = [];
      let deleted = false;
      for (const exchange of recorded(index).exchanges.filter(({ headers }) => headers?.['upgrade'] === undefined)) {
        deleted ||= exchange.method === 'DELETE' || exchange.path.endsWith('/eviction');
        const compared = (answer: Answer) => comparable(answer, { exchange, deleted });
        const answer = await replay.send(exchange, { events: !deleted });
        if (replay.lacksNames(exchange)) continue;
        actual.push(compared(answer));
        expected.push(compared(exchange.answer));
      }
      const moving = changesSomething(step) ? await settling.rest() : [];
      expect({ answers: actual, moving }).toEqual({ answers: expected, moving: [] });
    },
  );
});

function withoutAccepted(outcome: Outcome, { command }: Step, side: 'expected' | 'actual'): Outcome {
  let { stdout, stderr, exitCode } = outcome;
  for (const accepted of acceptedDifferences.filter((each) => each.command === command)) {
    const reduce = side === 'actual' ? (accepted.actual ?? accepted.expected) : accepted.expected;
    stdout = reduce(stdout);
    stderr = reduce(stderr);
    if (accepted.exitCode) exitCode = 0;
  }
  return { stdout, stderr, exitCode };
}

type Compared = Partial<Answer> & { readonly request: string; readonly found?: boolean };

/** Drops facts that depend on timing (deletion progress, number of events) or on caches. */
function comparable(
  { identities: _handedOut, ...whole }: Answer,
  { exchange, deleted }: { readonly exchange: Exchange; readonly deleted: boolean },
): Compared {
  const request = `${exchange.method} ${exchange.path}`;
  const recordedType = exchange.answer.contentType;
  // Discovery has its own tests; in this test, kubectl's cache decides between 200, 301 and 304.
  if (/^\/(openapi\/|apis?(\?|$))/.test(exchange.path)) return { request, found: whole.status < 400 };
  if (deleted && exchange.method === 'GET') return { request, status: whole.status === 404 ? 200 : whole.status };
  const accepted = acceptedAnswers.filter(({ where }) => where(exchange));
  const answer = { ...accepted.reduce((reduced, { reduce }) => reduce(reduced), whole as Answer) };
  // We return JSON where the real server may return protobuf.
  if (recordedType === 'application/vnd.kubernetes.protobuf') delete answer.contentType;
  const { rows, ...rest } = answer;
  if (/\/events\b/.test(exchange.path)) return { request, ...rest };
  return { request, ...answer };
}
