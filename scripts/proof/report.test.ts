import { describe, expect, it } from 'vitest';
import { neutral, reportOf } from './report.mjs';

const head = { date: '2026-02-03', commit: 'abc', versions: ['Node v24.0.0', 'Kubernetes v1.36.3'] };

describe('the report of the proofs', () => {
  it('contains date, commit, versions and the number of passed steps', () => {
    const results = [
      { name: 'one', ok: true, seconds: 3.4, text: '7 passed (7)' },
      { name: 'two', isSkipped: true },
    ];
    expect(reportOf({ ...head, results })).toBe(`# Proof

Written by \`npm run proof\` on 2026-02-03, commit abc.

- Node v24.0.0
- Kubernetes v1.36.3

1 passed, 0 failed, 1 skipped

- passed: one (3 s): 7 passed (7)
- skipped: two
`);
  });

  it('marks failures, with their output in a block', () => {
    const results = [{ name: 'one', ok: false, seconds: 300, text: 'Error: no\n\n```\nwhy\n```' }];
    const text = reportOf({ ...head, results });
    expect(text).toContain('**0 passed, 1 failed, 0 skipped**');
    expect(text).toContain('- **failed**: one (5 min)\n\n  ````\n  Error: no\n\n  ```\n  why\n  ```\n  ````\n');
  });
});

describe('machine-specific text in a report', () => {
  it('replaces folders with their meaning, the longest first', () => {
    const folders = { '/home/x': '~', '/home/x/kw': '.', '/tmp/kw-proof-1': '.' };
    expect(neutral('/home/x/kw/a.ts:1 /home/x/.cache /tmp/kw-proof-1/b.ts', folders)).toBe('./a.ts:1 ~/.cache ./b.ts');
  });

  it('contains no keys or tokens', () => {
    const key = '-----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY-----';
    const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJhdWQiOlsia3ViZXJuZXRlcyJdfQ.c2ln';
    expect(neutral(`${key}; token: ${jwt}; Authorization: Bearer admintoken`, {})).toBe(
      '(a key); token: (a token); Authorization: Bearer (a token)',
    );
  });
});
