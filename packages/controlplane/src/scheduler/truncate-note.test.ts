import { describe, expect, it } from 'vitest';
import { truncateNote } from './truncate-note.ts';

describe('truncateNote', () => {
  it.each([
    ['a note of 1,024 bytes', 'é'.repeat(512), 'é'.repeat(512)],
    ['a longer note', 'a'.repeat(1_025), `${'a'.repeat(1_020)} ...`],
    ['a note with fewer than 1,024 characters', 'é'.repeat(513), `${'é'.repeat(510)} ...`],
    ['a note with a character at the limit', `a${'é'.repeat(513)}`, `a${'é'.repeat(509)} ...`],
  ])('truncates %s by its bytes', (_name, message, expected) => {
    expect(truncateNote(message)).toBe(expected);
    expect(Buffer.byteLength(truncateNote(message))).toBeLessThanOrEqual(1_024);
  });
});
