import { describe, expect, it } from 'vitest';
import { oneLine } from './one-line.ts';

describe('oneLine', () => {
  it('escapes characters that break lines or control terminals, and keeps the rest', () => {
    expect(oneLine('a\nb\r\t\u001b[2J \u007f\u009b2J é 😀')).toBe('a\\nb\\r\\t\\u001b[2J \\u007f\\u009b2J é 😀');
  });
});
