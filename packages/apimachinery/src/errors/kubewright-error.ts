/** The parts of an error's message: lower case, without a full stop. */
export interface ErrorText {
  /** The operation that failed and the object it failed on: `cannot read kubeconfig /home/ada/.kube/config`. */
  readonly what: string;
  /** The cause: `permission denied`. */
  readonly why?: string | undefined;
  /** The remedy, as an imperative: `run chmod u+r /home/ada/.kube/config`. */
  readonly remedy?: string | undefined;
}

/**
 * The base of every error that Kubewright's packages throw. The message is composed of the parts: `what: why; remedy`. Programs
 * match on {@link code}, never on the message; `kubewright explain CODE` describes each code.
 *
 * @example
 * ```ts
 * try {
 *   await client.resource(Pod).list();
 * } catch (error) {
 *   if (error instanceof KubewrightError) console.error(`${error.code} ${error.what}\n  do: ${error.remedy ?? 'retry'}`);
 *   else throw error;
 * }
 * ```
 */
export abstract class KubewrightError extends Error {
  /** `KW` and four digits. Identifies the class of failure and never changes. */
  abstract readonly code: string;
  // The parts are behind getters, because Node would otherwise print them a second time for an uncaught error.
  readonly #text: ErrorText;

  constructor(text: ErrorText, options: { readonly cause?: unknown } = {}) {
    super(messageOf(text), options.cause === undefined ? undefined : { cause: options.cause });
    this.#text = text;
  }

  /** The operation that failed and the object it failed on. */
  get what(): string {
    return this.#text.what;
  }

  /** The reason for the failure, if known. */
  get why(): string | undefined {
    return this.#text.why;
  }

  /** The remedy, as an imperative. */
  get remedy(): string | undefined {
    return this.#text.remedy;
  }
}

function messageOf({ what, why, remedy }: ErrorText): string {
  const failure = why === undefined ? what : `${what}: ${why}`;
  return remedy === undefined ? failure : `${failure}; ${remedy}`;
}
