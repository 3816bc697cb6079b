/** An answer of ours that is meant to differ from upstream's. What is not said here is as upstream's. */
export interface Difference {
  readonly status?: number;
  readonly reason?: string;
  /** Part of what we say instead. */
  readonly says?: string;
  readonly why: string;
}

type Table = Readonly<Record<string, Difference>>;

/** The closed list, by table and case. A case that answers as upstream does must not be in it. */
export const acceptedDifferences: Readonly<Record<string, Table>> = {};
