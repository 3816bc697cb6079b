import { expect, it } from 'vitest';
import { linesOf } from './lines.ts';

it('linesOf joins lines and characters that are split across chunks', async () => {
  const encoded = new TextEncoder().encode('one\ntwö\n\nlast');
  async function* parts() {
    for (const byte of encoded) yield Uint8Array.of(byte);
  }
  const lines: string[] = [];
  for await (const line of linesOf(parts())) lines.push(line);
  expect(lines).toEqual(['one', 'twö', '', 'last']);
});
