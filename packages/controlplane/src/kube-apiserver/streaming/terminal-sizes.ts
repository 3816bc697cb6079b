import { Buffer } from 'node:buffer';

/** The size of a terminal, in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Maximum length of a buffered line. A size takes about thirty bytes. */
const maxTextBytes = 1024;

/** Parses terminal sizes as clients send them: one JSON object per line. Skips everything else. */
export async function* readTerminalSizes(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TerminalSize> {
  let text = '';
  for await (const chunk of bytes) {
    text += Buffer.from(chunk).toString('latin1');
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    if (text.length > maxTextBytes) text = '';
    for (const line of lines) {
      const size = parseSize(line);
      if (size) yield size;
    }
  }
}

function parseSize(line: string): TerminalSize | undefined {
  const [, width] = /"Width":(\d{1,5})\b/.exec(line) ?? [];
  const [, height] = /"Height":(\d{1,5})\b/.exec(line) ?? [];
  const [columns, rows] = [Number(width), Number(height)];
  return columns > 0 && rows > 0 && columns <= 65_535 && rows <= 65_535 ? { columns, rows } : undefined;
}
