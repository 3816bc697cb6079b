/** A WAL segment, as identified by its file name. */
export interface WalSegment {
  readonly timeline: number;
  /** The segment's number since the start of the WAL. */
  readonly number: bigint;
}

const segmentName = /^([\dA-F]{8})([\dA-F]{8})([\dA-F]{8})(\.partial|\.[\dA-F]{8}\.backup)?$/;
const historyName = /^([\dA-F]{8})\.history$/;

/**
 * Returns the archived name of a WAL file: a segment, a backup history file or a timeline history file. @throws TypeError for any
 * other name
 */
export function archivedWal(name: string): string {
  if (historyName.test(name)) return `wal/${name}.gz`;
  if (segmentName.test(name)) return `wal/${name.slice(0, 16)}/${name}.gz`;
  throw new TypeError(`not the name of a WAL file: ${JSON.stringify(name)}`);
}

/** Returns true for the name of a partial segment, which a promotion ended before the segment was full. */
export function isPartialSegment(name: string): boolean {
  return segmentName.exec(name)?.[4] === '.partial';
}

/** Returns the timeline of a timeline history file, or undefined for any other name. */
export function timelineOfHistory(name: string): number | undefined {
  const [, timeline] = historyName.exec(name) ?? [];
  return timeline === undefined ? undefined : Number.parseInt(timeline, 16);
}

/** Returns the segment name of an archived complete segment, or undefined for any other file. */
export function completeSegment(archivedName: string): string | undefined {
  return /^wal\/[\dA-F]{16}\/([\dA-F]{24})\.gz$/.exec(archivedName)?.[1];
}

/**
 * Returns the segment of an archived segment (complete or partial) or backup history file, or undefined for any other file, such
 * as a timeline history file.
 */
export function segmentOf(archivedName: string, segmentBytes: number): WalSegment | undefined {
  const [, timeline, high, low] = segmentName.exec(archivedName.replace(/^wal\/[\dA-F]{16}\/(.*)\.gz$/, '$1')) ?? [];
  if (timeline === undefined) return undefined;
  const segmentsPerHigh = 0x1_0000_0000n / BigInt(segmentBytes);
  const number = BigInt(`0x${high}`) * segmentsPerHigh + BigInt(`0x${low}`);
  return { timeline: Number.parseInt(timeline, 16), number };
}

/**
 * Returns the name of the segment that contains an LSN. With `isEnd`, an LSN at a segment boundary belongs to the preceding
 * segment.
 */
export function segmentAt(
  lsn: bigint,
  {
    timeline,
    segmentBytes,
    isEnd = false,
  }: { readonly timeline: number; readonly segmentBytes: number; readonly isEnd?: boolean },
): string {
  const position = isEnd && lsn > 0n ? lsn - 1n : lsn;
  return nameOfSegment({ timeline, number: position / BigInt(segmentBytes) }, segmentBytes);
}

/** Returns the file name of a segment. */
export function nameOfSegment({ timeline, number }: WalSegment, segmentBytes: number): string {
  const segmentsPerHigh = 0x1_0000_0000n / BigInt(segmentBytes);
  return hex(BigInt(timeline)) + hex(number / segmentsPerHigh) + hex(number % segmentsPerHigh);
}

function hex(value: bigint): string {
  return value.toString(16).toUpperCase().padStart(8, '0');
}
