import { existsSync, writeFileSync } from 'node:fs';
import type { AnswerFacts } from './answer-facts.ts';
import { countCauses, type Difference, findDifferences } from './count-causes.ts';
import { EmbeddedServer } from './embedded-server.ts';
import { generateRequests } from './generate-requests.ts';
import { type ParityKind, parityKinds } from './parity-kinds.ts';
import { operationsOf, type ParityRequest } from './parity-request.ts';
import { ParityTarget } from './parity-target.ts';
import { RealServer } from './real-server.ts';
import { fixedFile, type RecordedAnswer, readAnswers, writeAnswers } from './recorded-answers.ts';
import { fixedSequences, type RecordedSequence, readSequences, writeSequences } from './recorded-sequences.ts';
import { compareSequences, type SequenceDifference } from './sequences/compare-sequences.ts';
import { generateSequences } from './sequences/generate-sequences.ts';
import { keepWriting } from './sequences/keep-writing.ts';
import { playSequence } from './sequences/play-sequence.ts';
import type { Sequence } from './sequences/sequence.ts';

/** Options for {@link compareLive}. */
export interface LiveOptions {
  readonly url: string;
  readonly token: string;
  readonly seed: number;
  readonly perKind: number;
  /** Only tests kinds whose id contains this string. */
  readonly only?: string | undefined;
}

/** Sends the requests of a seed to the real server and returns its responses. */
export async function recordAnswers(options: LiveOptions): Promise<readonly RecordedAnswer[]> {
  using real = new RealServer(options);
  const kinds = chosenKinds(options);
  const documents = await real.openApi(kinds.map(({ apiVersion }) => apiVersion));
  const requests = [...plainRequests(kinds), ...generateRequests({ ...options, kinds, documents })];
  const target = await ParityTarget.prepare(real, kinds);
  const byId = new Map(kinds.map((kind) => [kind.id, kind]));
  const answers: RecordedAnswer[] = [];
  for (let start = 0; start < requests.length; start += 8) {
    const batch = requests.slice(start, start + 8).map(async (request) => {
      const kind = byId.get(request.kind) as ParityKind;
      const answer = await answerUnlessPanic(() => target.ask(request, kind), real);
      return answer ? [{ request, answer }] : [];
    });
    answers.push(...(await Promise.all(batch)).flat());
  }
  const panics = requests.length - answers.length;
  if (panics > requests.length / 1000)
    throw new Error(`the real server closed ${panics} connections without a response`);
  return answers;
}

/**
 * Sends a request until a response arrives. Returns undefined if the request makes kube-apiserver 1.36.3 panic and
 * close the connection, such as a strategic merge patch whose merge key is a list.
 *
 * @throws Error if the server no longer responds to other requests
 */
async function answerUnlessPanic(
  send: () => Promise<AnswerFacts>,
  server: RealServer,
): Promise<AnswerFacts | undefined> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      return await send();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
      await server.send({ method: 'GET', path: '/livez' });
    }
  }
  return undefined;
}

/** Compares our server with a real server, and returns the differences. */
export async function compareLive(options: LiveOptions): Promise<readonly Difference[]> {
  return compareWithOurs(await recordAnswers(options), chosenKinds(options));
}

/** Sends recorded requests to our server in memory. */
export async function compareWithOurs(
  answers: readonly RecordedAnswer[],
  kinds: readonly ParityKind[],
): Promise<readonly Difference[]> {
  await using embedded = await EmbeddedServer.start();
  const found = await findDifferences(answers, { target: await ParityTarget.prepare(embedded, kinds), kinds });
  const [error] = embedded.errors;
  if (error !== undefined) throw new Error('internal error of the server', { cause: error });
  return found;
}

/** Plays the sequences of a seed, `perKind` of each kind, on the real server and returns its responses. */
export async function recordSequences(options: LiveOptions): Promise<readonly RecordedSequence[]> {
  using real = new RealServer(options);
  const kinds = chosenKinds(options);
  const documents = await real.openApi(kinds.map(({ apiVersion }) => apiVersion));
  const sequences = generateSequences({ ...options, kinds, documents });
  const recorded = new Map<ParityKind, readonly RecordedSequence[]>();
  const waiting = [...kinds];
  const playWaiting = async (): Promise<void> => {
    for (let kind = waiting.shift(); kind; kind = waiting.shift()) {
      const ofKind = sequences.filter((sequence) => sequence.kind === kind?.id);
      if (ofKind.length > 0) recorded.set(kind, await playKind(ofKind, { server: real, kind }));
    }
  };
  // Plays several kinds concurrently, because sequences spend most of the time waiting for watches to end.
  await Promise.all(Array.from({ length: 16 }, playWaiting));
  return kinds.flatMap((kind) => recorded.get(kind) ?? []);
}

/**
 * Plays the sequences of a kind one after the other, because lists of a cluster-scoped kind contain the objects of all
 * sequences.
 */
async function playKind(
  sequences: readonly Sequence[],
  place: { readonly server: RealServer; readonly kind: ParityKind },
): Promise<readonly RecordedSequence[]> {
  await using _writes = await keepWriting(place);
  const recorded: RecordedSequence[] = [];
  for (const sequence of sequences) recorded.push({ sequence, answers: await playSequence(sequence, place) });
  return recorded;
}

/** Plays recorded sequences on our server in memory. */
export async function compareSequencesWithOurs(
  recorded: readonly RecordedSequence[],
): Promise<readonly SequenceDifference[]> {
  await using server = await EmbeddedServer.start();
  const found = await compareSequences(recorded, { server, kinds: parityKinds() });
  const [error] = server.errors;
  if (error !== undefined) throw new Error('internal error of the server', { cause: error });
  return found;
}

/** Adds at most two requests for each cause to the recorded answers in which a difference is a failure. */
export function keepAnswers(found: readonly Difference[]): void {
  const kept = existsSync(fixedFile) ? readAnswers(fixedFile) : [];
  writeAnswers(fixedFile, [...kept, ...examplesOf(found).map(({ request, answer }) => ({ request, answer }))]);
}

/** Adds the sequences with at most two differences for each cause to the recorded sequences in which a difference is a failure. */
export function keepSequences(found: readonly SequenceDifference[], recorded: readonly RecordedSequence[]): void {
  const kept = existsSync(fixedSequences) ? readSequences(fixedSequences) : [];
  const keyOf = (kind: string, seed: number): string => `${kind} ${seed}`;
  const known = new Set(kept.map(({ sequence }) => keyOf(sequence.kind, sequence.seed)));
  const wanted = new Set(examplesOf(found).map(({ kind, seed }) => keyOf(kind, seed)));
  const added = recorded.filter(({ sequence: { kind, seed } }) => wanted.has(keyOf(kind, seed)));
  const fresh = added.filter(({ sequence: { kind, seed } }) => !known.has(keyOf(kind, seed)));
  writeSequences(fixedSequences, [...kept, ...fresh]);
}

function examplesOf<T extends { readonly cause: string }>(found: readonly T[]): readonly T[] {
  const counts = new Map<string, number>();
  return found.filter(({ cause }) => {
    const count = (counts.get(cause) ?? 0) + 1;
    counts.set(cause, count);
    return count <= 2;
  });
}

/** Writes the differences, with examples, to a human-readable file. */
export function writeDifferences(file: string, found: readonly (Difference | SequenceDifference)[]): void {
  const counts = countCauses(found);
  const examples = Object.entries(counts).map(([cause, count]) => {
    const { answer, ...example } = found.find((one) => one.cause === cause) as Difference | SequenceDifference;
    return { count, ...example, real: answer };
  });
  writeFileSync(file, `${examples.map((example) => JSON.stringify(example)).join('\n')}\n`);
}

function chosenKinds({ only = '' }: Pick<LiveOptions, 'only'>): readonly ParityKind[] {
  return parityKinds().filter(({ id }) => id.includes(only));
}

/**
 * Returns an unchanged request for each operation. Other recorded responses are stored as differences from the
 * responses to these requests.
 */
function plainRequests(kinds: readonly ParityKind[]): readonly ParityRequest[] {
  return kinds.flatMap((kind) => operationsOf(kind).map((operation) => ({ kind: kind.id, operation, changes: [] })));
}

export { countCauses } from './count-causes.ts';
export { parityKinds } from './parity-kinds.ts';
export { readAnswers, recordedFile, writeAnswers } from './recorded-answers.ts';
export { readSequences, recordedSequences, writeSequences } from './recorded-sequences.ts';
