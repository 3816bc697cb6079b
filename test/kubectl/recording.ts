import type { Exchange } from './exchange.ts';
import type { Outcome } from './run-kubectl.ts';

/** The file that `record.mjs` writes: the responses of the real control plane. */
export interface Recording {
  /** A description of how the recording was created. */
  readonly header: string;
  readonly kubectl: string;
  readonly server: string;
  readonly steps: readonly RecordedStep[];
}

/** A command of the matrix with its normalized outcome and its requests. */
export interface RecordedStep extends Outcome {
  readonly command: string;
  readonly exchanges: readonly Exchange[];
}
