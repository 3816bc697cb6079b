import { describe, expect, it } from 'vitest';
import { oneLine } from './one-line.ts';

describe('oneLine', () => {
  it('writes what makes lines or commands terminals as escapes, and leaves the rest', () => {
    expect(oneLine('a\nb\r\t\u001b[2J \u007f\u009b2J é 😀')).toBe('a\\nb\\r\\t\\u001b[2J \\u007f\\u009b2J é 😀');
  });
});
