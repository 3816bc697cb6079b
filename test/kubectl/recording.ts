import type { Exchange } from './exchange.ts';
import type { Outcome } from './run-kubectl.ts';

/** What `record.mjs` writes: the answers of the real control plane. */
export interface Recording {
  /** How it was made. */
  readonly header: string;
  readonly kubectl: string;
  readonly server: string;
  readonly steps: readonly RecordedStep[];
}

/** One command of the matrix, its outcome made comparable, and the requests it sent. */
export interface RecordedStep extends Outcome {
  readonly command: string;
  readonly exchanges: readonly Exchange[];
}
