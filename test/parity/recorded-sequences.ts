import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { AnswerFacts } from './answer-facts.ts';
import type { Sequence } from './sequences/sequence.ts';

/** A sequence with the real API server's responses, first to its writes, then to its reads. */
export interface RecordedSequence {
  readonly sequence: Sequence;
  readonly answers: readonly AnswerFacts[];
}

/** The responses of kube-apiserver 1.36.3. */
export const recordedSequences: URL = new URL('testdata/sequences-1.36.3.jsonl.br', import.meta.url);

/** The responses to sequences to which our server once responded differently. */
export const fixedSequences: URL = new URL('testdata/fixed-sequences-1.36.3.jsonl.br', import.meta.url);

/** Reads recorded sequences. */
export function readSequences(file: URL | string): readonly RecordedSequence[] {
  const lines = brotliDecompressSync(readFileSync(file)).toString('utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as RecordedSequence);
}

/** Writes recorded sequences. Compresses with a large window, because responses repeat whole objects. */
export function writeSequences(file: URL | string, recorded: readonly RecordedSequence[]): void {
  const text = recorded.map((one) => JSON.stringify(one)).join('\n');
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 11 };
  writeFileSync(file, brotliCompressSync(text, { params }));
}
