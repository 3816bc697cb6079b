import { describe, expect, it } from 'vitest';
import { encodeName, sha256, signedHeaders } from './sigv4.ts';

// The examples of "Signature Calculations for the Authorization Header" in the Amazon S3 API Reference.
describe('signedHeaders', () => {
  const key = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
  };
  const now = new Date('2013-05-24T00:00:00Z');
  const rows: readonly (readonly [string, string, Readonly<Record<string, string>>, string])[] = [
    [
      'a request with a header',
      'test.txt',
      { range: 'bytes=0-9' },
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      'a query parameter without a value',
      '?lifecycle',
      {},
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ],
    [
      'query parameters',
      '?max-keys=2&prefix=J',
      {},
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ];
  it.each(rows)('signs %s', (_, path, headers, signature) => {
    const url = new URL(path, 'https://examplebucket.s3.amazonaws.com/');
    const signed = signedHeaders({ method: 'GET', url, headers, bodyHash: sha256('') }, key, now);
    expect(signed['authorization']).toContain(`Signature=${signature}`);
  });

  it('encodes characters that the URL standard leaves unencoded', () => {
    expect(encodeName("a b/c!'()*~-._")).toBe('a%20b%2Fc%21%27%28%29%2A~-._');
  });
});
