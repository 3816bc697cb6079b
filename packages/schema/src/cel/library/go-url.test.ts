import { describe, expect, it } from 'vitest';
import { parseRequestUri } from './go-url.ts';

describe('parseRequestUri', () => {
  it.each(['/\u0000', '/\u001f', 'http://a/\u007f'])('rejects the ASCII control character in %j, as Go does', (raw) => {
    expect(parseRequestUri(raw)).toMatch(/net\/url: invalid control character in URL$/);
  });

  it.each(['/\u0080', 'http://a/\u009f', 'http://\u0085/', '/\u00a0'])('accepts %j, as Go does', (raw) => {
    expect(parseRequestUri(raw)).toMatchObject({ text: raw });
  });
});
