import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { resolveLifetimes } from './authority-lifetimes.ts';
import { type AuthorityPolicy, type AuthorityState, nextAuthorityState } from './authority-state.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
const start = Date.UTC(2026, 0, 1);
const hosts = ['web.shop.svc', '127.0.0.1'];

function policy(nowMs: number, more: Partial<AuthorityPolicy> = {}): AuthorityPolicy {
  return { ...resolveLifetimes(), subject: { commonName: 'shop-ca' }, hosts, nowMs, isBundleKnown: true, ...more };
}

type Next = (kept: AuthorityState | undefined, by: AuthorityPolicy) => AuthorityState;

function settled(
  kept: AuthorityState | undefined,
  by: AuthorityPolicy,
  next: Next = nextAuthorityState,
): AuthorityState {
  let state = next(kept, by);
  for (let step = 0; step < 10; step++) {
    const after = next(state, by);
    if (after === state) return state;
    state = after;
  }
  throw new Error('it does not settle');
}

/** Reports whether a caller that trusts `bundle` would accept `leaf`. */
function isAccepted(leaf: string, bundle: readonly string[], nowMs: number): boolean {
  const certificate = new X509Certificate(leaf);
  const valid = (each: X509Certificate): boolean =>
    Date.parse(each.validFrom) <= nowMs && nowMs < Date.parse(each.validTo);
  const authorities = bundle.map((pem) => new X509Certificate(pem)).filter(valid);
  return (
    valid(certificate) &&
    authorities.some((each) => certificate.verify(each.publicKey) && certificate.checkIssued(each))
  );
}

/** Simulates two years of a cluster whose callers and replicas learn of changes up to `lagMs` late, until a call fails. */
function failedCalls(next: Next, lagMs: number): { readonly failed: number; readonly authorities: number } {
  const history: { atMs: number; state: AuthorityState }[] = [];
  const authorities = new Set<string>();
  let failed = 0;
  let state: AuthorityState | undefined;
  for (
    let nowMs = start;
    failed === 0 && nowMs < start + 2 * 365 * dayMs;
    nowMs += isBusy(state) ? 2 * minuteMs : 4 * dayMs
  ) {
    state = settled(state, policy(nowMs), next);
    if (history.at(-1)?.state !== state) history.push({ atMs: nowMs, state });
    for (const pem of state.bundle) authorities.add(pem);
    const current = history.filter((_, i) => (history[i + 1]?.atMs ?? Number.POSITIVE_INFINITY) > nowMs - lagMs);
    for (const server of current)
      for (const caller of current)
        if (!isAccepted(server.state.serving.certificate, caller.state.bundle, nowMs)) failed++;
    history.splice(0, history.length - 6);
  }
  return { failed, authorities: authorities.size };
}

function isBusy(state: AuthorityState | undefined): boolean {
  return (state?.bundle.length ?? 2) > 1;
}

describe('nextAuthorityState', () => {
  it('issues an authority and a certificate for all names', () => {
    const state = settled(undefined, policy(start));
    expect(state.bundle).toHaveLength(1);
    const leaf = new X509Certificate(state.serving.certificate);
    expect(leaf.checkHost('web.shop.svc')).toBe('web.shop.svc');
    expect(leaf.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(isAccepted(state.serving.certificate, state.bundle, start)).toBe(true);
    expect(nextAuthorityState(state, policy(start + 59 * dayMs))).toBe(state);
  });

  it('renews the certificate with the existing authority 30 days before it expires', () => {
    const first = settled(undefined, policy(start));
    const second = settled(first, policy(start + 61 * dayMs));
    expect(second.serving).not.toEqual(first.serving);
    expect(second.bundle).toEqual(first.bundle);
  });

  it('replaces the authority with an overlap on both sides', () => {
    const first = settled(undefined, policy(start));
    const at = start + 250 * dayMs;
    const held = settled(first, policy(at - 10 * dayMs));
    const both = settled(held, policy(at));
    expect(both.bundle).toHaveLength(2);
    expect(both.bundle[1]).toBe(first.bundle[0]);
    expect(both.serving).toBe(held.serving);
    expect(settled(both, policy(at + 9 * minuteMs))).toBe(both);
    const unknown = settled(both, policy(at + 11 * minuteMs, { isBundleKnown: false }));
    expect(unknown).toBe(both);
    const moved = settled(both, policy(at + 11 * minuteMs));
    expect(moved.serving).not.toBe(both.serving);
    expect(moved.bundle).toHaveLength(2);
    const alone = settled(moved, policy(at + 22 * minuteMs));
    expect(alone.bundle).toEqual([both.bundle[0]]);
    expect(alone.serving).toBe(moved.serving);
  });

  it('fails no call in two years with late callers and replicas, unlike a naive version', () => {
    const ours = failedCalls(nextAuthorityState, 9 * minuteMs);
    expect(ours.failed).toBe(0);
    expect(ours.authorities).toBeGreaterThanOrEqual(3);
    const naive: Next = (kept, by) => nextAuthorityState(kept, { ...by, overlapMs: 0 });
    expect(failedCalls(naive, 9 * minuteMs).failed).toBeGreaterThan(0);
  });

  it.each([
    ['everything has expired', (state: AuthorityState) => state, 400 * dayMs],
    ['the key is lost', (state: AuthorityState) => ({ ...state, key: '' }), 0],
    ['the bundle is damaged', (state: AuthorityState) => ({ ...state, bundle: ['-----BEGIN nonsense'] }), 0],
  ])('starts over when %s', (_, damage, laterMs) => {
    const damaged = damage(settled(undefined, policy(start)));
    const state = settled(damaged, policy(start + laterMs));
    expect(state.bundle[0]).not.toBe(damaged.bundle[0]);
    expect(isAccepted(state.serving.certificate, state.bundle, start + laterMs)).toBe(true);
  });

  it('keeps serving the trusted certificate when only the key is lost', () => {
    const first = settled(undefined, policy(start));
    const state = settled({ ...first, key: 'gone' }, policy(start));
    expect(state.serving).toBe(first.serving);
    expect(state.bundle).toHaveLength(2);
  });

  it("issues a certificate immediately when the server's name changes", () => {
    const first = settled(undefined, policy(start));
    const state = settled(first, policy(start, { hosts: ['other.shop.svc'] }));
    expect(new X509Certificate(state.serving.certificate).checkHost('other.shop.svc')).toBe('other.shop.svc');
  });
});

describe('resolveLifetimes', () => {
  it('rejects lifetimes that leave a gap without a valid certificate', () => {
    expect(() => resolveLifetimes({ servingMs: dayMs })).toThrow(TypeError);
    expect(() => resolveLifetimes({ overlapMs: 40 * dayMs })).toThrow('overlap');
  });
});
