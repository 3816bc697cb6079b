/** Returns the name of the WAL segment that contains an LSN. */
export function walFileOf(lsn: bigint, { timeline, segmentBytes }: { timeline: number; segmentBytes: bigint }): string {
  const segment = lsn / segmentBytes;
  const segmentsPerLog = 0x1_0000_0000n / segmentBytes;
  const hex = (value: bigint | number): string => value.toString(16).toUpperCase().padStart(8, '0');
  return hex(timeline) + hex(segment / segmentsPerLog) + hex(segment % segmentsPerLog);
}
