import { describe, expect, it } from 'vitest';
import { parseChallenges } from './challenge.ts';

describe('parseChallenges', () => {
  it.each([
    ['Basic realm="x"', [{ scheme: 'basic', parameters: { realm: 'x' } }]],
    [
      'Bearer realm="https://auth.example/token",service="a, b",scope="repository:x:pull"',
      [
        {
          scheme: 'bearer',
          parameters: { realm: 'https://auth.example/token', service: 'a, b', scope: 'repository:x:pull' },
        },
      ],
    ],
    [
      'Negotiate, BEARER Realm = "a \\"b\\"" , error=invalid_token, Basic realm=y',
      [
        { scheme: 'negotiate', parameters: {} },
        { scheme: 'bearer', parameters: { realm: 'a "b"', error: 'invalid_token' } },
        { scheme: 'basic', parameters: { realm: 'y' } },
      ],
    ],
    ['', []],
  ])('parses %s', (header, expected) => {
    expect(parseChallenges(header)).toEqual(expected);
  });
});
