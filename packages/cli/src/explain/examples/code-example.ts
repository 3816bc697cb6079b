/** A mistake that causes an error, with its cause and fix, as shown by `kubewright explain`. */
export interface CodeExample {
  readonly code: string;
  /** Code, a file or commands; tests run it and check that it fails with the error code. */
  readonly mistake: string;
  /** One or two sentences. */
  readonly cause: string;
  /** The correct code or commands; tests run it too if it is code. */
  readonly fix: string;
}
