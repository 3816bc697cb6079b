/** What may follow `npm start --`. */
export interface StartFlags {
  /** Ends with exit code 0 once the sample was up and everything was stopped. */
  readonly once: boolean;
  /** Starts without the sample. */
  readonly empty: boolean;
  /** File that says what further images run. */
  readonly images: string | undefined;
  /** Lets images be programs of this machine by their absolute paths. */
  readonly allowHostPrograms: boolean;
  readonly allowRootPods: boolean;
  /** The network of pods. */
  readonly network: 'loopback' | 'isolated';
  /** Port of the API server; 0 takes a free one. */
  readonly port: number | undefined;
  readonly help: boolean;
}

/** What `--help` prints. */
export declare const usage: string;

/**
 * Reads the flags.
 *
 * @throws Error that names the flag it does not know.
 */
export declare function readFlags(argv: readonly string[]): StartFlags;
