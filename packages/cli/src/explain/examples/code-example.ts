/** A mistake that leads to an error code, with its cause and its fix, as `kubewright explain` shows them. */
export interface CodeExample {
  readonly code: string;
  /** Code, a file or commands; the tests run it and get the code. */
  readonly mistake: string;
  /** One or two sentences. */
  readonly cause: string;
  /** What to write or type instead; where it is code, the tests run it, too. */
  readonly fix: string;
}
