import { Buffer } from 'node:buffer';

/** Formats a time for logs: RFC 3339 with nine fractional digits; the last six are zeros. */
export function logTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000000Z');
}

/** Formats a line of a CRI log: time, stream, `F` for a full line or `P` for a partial line, and text. */
export function criLine(parts: {
  readonly time: string;
  readonly stream: 'stdout' | 'stderr';
  readonly isPartial: boolean;
  readonly text: Uint8Array;
}): Uint8Array {
  const head = Buffer.from(`${parts.time} ${parts.stream} ${parts.isPartial ? 'P' : 'F'} `);
  return Buffer.concat([head, parts.text, Buffer.from('\n')]);
}

/** A parsed line of a CRI log. */
export interface CriRecord {
  readonly time: string;
  readonly isPartial: boolean;
  readonly text: Uint8Array;
}

/** Parses a line; returns `undefined` if it is invalid, such as after a torn write. */
export function parseCriLine(line: Uint8Array): CriRecord | undefined {
  const buffer = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const timeEnd = buffer.indexOf(0x20);
  const streamEnd = buffer.indexOf(0x20, timeEnd + 1);
  if (timeEnd < 0 || streamEnd < 0 || buffer[streamEnd + 2] !== 0x20) return undefined;
  return {
    time: buffer.toString('latin1', 0, timeEnd),
    isPartial: buffer[streamEnd + 1] === 0x50,
    text: buffer.subarray(streamEnd + 3),
  };
}

/** Returns the text of a CRI log line. */
export function messageOf(line: string): string {
  return line.replace(/^\S+ \S+ \S /, '');
}
