import { Secret } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { msUntilExpiration } from './bootstrap-token-cleaner.ts';

const nowMs = Date.UTC(2026, 0, 1, 12);
const token = (expiration?: string): Secret =>
  Secret({
    metadata: { namespace: 'kube-system', name: 'bootstrap-token-abcdef' },
    type: 'bootstrap.kubernetes.io/token',
    data: expiration === undefined ? {} : { expiration: Buffer.from(expiration).toString('base64') },
  });

describe('msUntilExpiration', () => {
  it.each([
    ['2026-01-01T12:01:00Z', 60_000],
    ['2026-01-01T13:01:00+01:00', 60_000],
    ['2026-01-01T12:00:00Z', 0],
    ['2026-01-01T11:59:00Z', -60_000],
    ['2026-01-02', 0],
    ['tomorrow', 0],
    ['', undefined],
    [undefined, undefined],
  ])('reads expiration %j as %j ms from now', (expiration, expected) => {
    expect(msUntilExpiration(token(expiration), nowMs)).toBe(expected);
  });
});
