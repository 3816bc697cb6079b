import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { AnswerFacts } from './answer-facts.ts';
import { differences } from './compare-facts.ts';
import { type Change, changed, type ParityRequest } from './parity-request.ts';

/** A request with the real API server's response. */
export interface RecordedAnswer {
  readonly request: ParityRequest;
  readonly answer: AnswerFacts;
}

/** The responses of kube-apiserver 1.36.3. */
export const recordedFile: URL = new URL('testdata/answers-1.36.3.jsonl.gz', import.meta.url);

/** The responses to requests to which our server once responded differently. */
export const fixedFile: URL = new URL('testdata/fixed-answers-1.36.3.jsonl.gz', import.meta.url);

/**
 * A response as stored in the file. Most responses have `changed` instead of `object`: the differences from the object
 * in the response to the last unmodified request of the same kind and operation.
 */
interface StoredAnswer extends Omit<AnswerFacts, 'object'> {
  readonly object?: AnswerFacts['object'];
  readonly changed?: readonly Change[];
}

/** Reads recorded answers. */
export function readAnswers(file: URL): readonly RecordedAnswer[] {
  const plain = new Map<string, NonNullable<AnswerFacts['object']>>();
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n');
  return lines.map((line) => {
    const [request, { changed: changes, ...stored }] = JSON.parse(line) as [ParityRequest, StoredAnswer];
    const base = plain.get(formOf(request));
    const answer = base && changes ? { ...stored, object: changed(base, changes) } : stored;
    if (request.changes.length === 0 && answer.object) plain.set(formOf(request), answer.object);
    return { request, answer };
  });
}

/** Writes recorded answers. */
export function writeAnswers(file: URL, answers: readonly RecordedAnswer[]): void {
  const plain = new Map<string, AnswerFacts['object']>();
  const lines = answers.map(({ request, answer }) => {
    const base = plain.get(formOf(request));
    if (request.changes.length === 0 && answer.object) plain.set(formOf(request), answer.object);
    if (!base || !answer.object) return JSON.stringify([request, answer]);
    const { object, ...rest } = answer;
    return JSON.stringify([request, { ...rest, changed: differences(base, object) }]);
  });
  writeFileSync(file, gzipSync(lines.join('\n'), { level: 9 }));
}

function formOf({ kind, operation }: ParityRequest): string {
  return `${operation} ${kind}`;
}
