import { Buffer } from 'node:buffer';

/** Describes the expected content of a store. Written with every commit. */
export interface DiskSummary {
  /** Version of the layout. */
  readonly format: 1;
  /** The newest revision. */
  readonly revision: number;
  /** Number of objects. */
  readonly objects: number;
  /** The checksums of all objects, combined by exclusive or. */
  readonly checksum: number;
}

/** The summary of an empty store. */
export const emptySummary: DiskSummary = { format: 1, revision: 1, objects: 0, checksum: 0 };

/** Encodes a summary. */
export function encodeSummary(summary: DiskSummary): Buffer {
  return Buffer.from(JSON.stringify(summary));
}

/** Decodes a summary; returns undefined if the value is not a summary. */
export function decodeSummary(value: Uint8Array): DiskSummary | undefined {
  try {
    const summary = JSON.parse(Buffer.from(value).toString()) as DiskSummary;
    return summary.format === 1 ? summary : undefined;
  } catch {
    // Damaged: the caller rejects the store.
    return undefined;
  }
}
