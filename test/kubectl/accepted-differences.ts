/** A difference from the real control plane that we accept. The list is closed: what is not in it is a fault. */
export interface AcceptedDifference {
  readonly command: string;
  readonly reason: string;
  /** Takes the difference out of what is expected. */
  readonly expected: (text: string) => string;
  /** Takes it out of what came. @defaultValue `expected` */
  readonly actual?: (text: string) => string;
}

export const acceptedDifferences: readonly AcceptedDifference[] = [];
