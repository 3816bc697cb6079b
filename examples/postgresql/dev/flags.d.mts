/** The flags of `npm start --`. */
export interface StartFlags {
  /** Stops everything once the sample is up, and exits with code 0. */
  readonly once: boolean;
  /** Starts without the sample. */
  readonly empty: boolean;
  /** File that maps more images to programs. */
  readonly images: string | undefined;
  /** Allows absolute paths of local programs as images. */
  readonly allowHostPrograms: boolean;
  readonly allowRootPods: boolean;
  /** The network of pods. */
  readonly network: 'loopback' | 'isolated';
  /** Port of the API server; 0 selects a free port. */
  readonly port: number | undefined;
  readonly help: boolean;
}

/** The text of `--help`. */
export declare const usage: string;

/**
 * Reads the flags.
 *
 * @throws Error that names an unknown flag.
 */
export declare function readFlags(argv: readonly string[]): StartFlags;
