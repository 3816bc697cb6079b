import { describe, expect, it } from 'vitest';
import { HeldOutput } from './held-output.ts';

describe('HeldOutput', () => {
  it('lets text through in order once released', () => {
    const seen: string[] = [];
    const held = new HeldOutput({ write: (text) => seen.push(text) });
    held.write('a');
    held.write('b');
    expect(seen).toEqual([]);
    held.release();
    held.write('c');
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it('omits stack traces', () => {
    const seen: string[] = [];
    const held = new HeldOutput({ write: (text) => seen.push(text) });
    held.write('12:00 ERROR it broke\n    at somewhere\n');
    held.release();
    expect(seen).toEqual(['12:00 ERROR it broke\n']);
  });
});
