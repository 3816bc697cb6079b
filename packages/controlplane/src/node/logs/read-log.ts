import { Buffer } from 'node:buffer';
import type { Clock } from '@kubewright/apimachinery';
import type { LogOptions } from '../../kube-apiserver/pods/node-connector.ts';
import { parseCriLine } from './cri-line.ts';
import type { ReadableLog } from './log-store.ts';

const chunkBytes = 64 * 1024;

/** Options that select the part of a log to read. */
export type ReadLogOptions = Pick<
  LogOptions,
  'follow' | 'timestamps' | 'sinceSeconds' | 'sinceTime' | 'tailLines' | 'limitBytes' | 'signal'
> & { readonly clock: Clock };

/** Reads a log in the format of `kubectl logs`, in chunks. With `follow`, reads until the container ends. */
export async function* readLog(log: ReadableLog, options: ReadLogOptions): AsyncGenerator<Uint8Array> {
  const { follow, timestamps, tailLines, signal, clock } = options;
  const since = sinceMs(options, clock);
  let left = options.limitBytes ?? Number.POSITIVE_INFINITY;
  let offset = tailLines === undefined ? log.firstOffset : tailOffset(log, tailLines);
  let rest: Buffer = Buffer.alloc(0);
  while (!signal.aborted && left > 0) {
    const { bytes, nextOffset } = log.read(offset, chunkBytes);
    if (bytes.length === 0) {
      if (!follow || log.closed) return;
      await log.changed(signal);
      continue;
    }
    offset = nextOffset;
    const all: Buffer = Buffer.concat([rest, bytes]);
    const end = all.lastIndexOf(0x0a) + 1;
    rest = all.subarray(end);
    const shown = show(all.subarray(0, end), { since, timestamps });
    if (shown.length === 0) continue;
    const piece = shown.subarray(0, Math.min(shown.length, left));
    left -= piece.length;
    yield piece;
  }
}

function sinceMs({ sinceSeconds, sinceTime }: ReadLogOptions, clock: Clock): number | undefined {
  if (sinceTime !== undefined) return Date.parse(sinceTime);
  return sinceSeconds === undefined ? undefined : clock.now() - sinceSeconds * 1000;
}

function show(lines: Buffer, options: { readonly since: number | undefined; readonly timestamps: boolean }): Buffer {
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(0x0a, start);
    const record = parseCriLine(lines.subarray(start, end));
    start = end + 1;
    if (!record) continue;
    if (options.since !== undefined && Date.parse(record.time) < options.since) continue;
    if (options.timestamps) pieces.push(Buffer.from(`${record.time} `));
    pieces.push(record.text);
    if (!record.isPartial) pieces.push(newline);
  }
  return Buffer.concat(pieces);
}

const newline = Buffer.from('\n');

/** Returns the offset of the last `count` lines, searching from the end. */
function tailOffset(log: ReadableLog, count: number): number {
  let found = 0;
  let end = log.endOffset;
  while (end > log.firstOffset) {
    const start = Math.max(end - chunkBytes, log.firstOffset);
    const { bytes } = readAll(log, { start, end });
    for (let at = bytes.length - 1; at >= 0; at--) {
      if (bytes[at] !== 0x0a) continue;
      // Every line ends with a newline, so the last `count` lines start after newline number `count + 1` from the end.
      if (found++ === count) return start + at + 1;
    }
    end = start;
  }
  return log.firstOffset;
}

/** Reads across the point where the log was rotated. */
function readAll(
  log: ReadableLog,
  range: { readonly start: number; readonly end: number },
): { readonly bytes: Uint8Array } {
  const pieces: Uint8Array[] = [];
  for (let at = range.start; at < range.end; ) {
    const { bytes, nextOffset } = log.read(at, range.end - at);
    if (bytes.length === 0) break;
    pieces.push(bytes);
    at = nextOffset;
  }
  return { bytes: Buffer.concat(pieces) };
}
