import { ConfigMap, Pod } from '@kubewright/apimachinery/core/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { eventually } from '../wait/eventually.ts';
import { toBeAbsent } from './to-be-absent.ts';
import { toBeOwnedBy } from './to-be-owned-by.ts';
import { toHaveCondition } from './to-have-condition.ts';
import { toHaveEvent } from './to-have-event.ts';
import { toHaveFinalizer } from './to-have-finalizer.ts';
import { toMatch } from './to-match.ts';

/** Returns the message of a matcher that must not match; rethrows any error that is not a mismatch. */
function mismatch<T>(matcher: (value: T) => void, value: T): string {
  try {
    matcher(value);
  } catch (error) {
    expect(error).toMatchObject({ name: 'AssertionError', code: 'ERR_ASSERTION' });
    return (error as Error).message;
  }
  throw new Error('it matches');
}

const settings = ConfigMap({ metadata: { name: 'settings', namespace: 'shop' }, data: { mode: 'dark', size: '3' } });

describe('toMatch', () => {
  it.each([
    [{ data: { mode: 'dark' } }],
    [{ metadata: { name: /^set/ } }],
    [{ data: { mode: expect.any(String) } }],
    [settings],
  ])('accepts %j', (expected) => {
    expect(() => toMatch(expected)(settings)).not.toThrow();
  });

  it('accepts only fields of the value that is read', async () => {
    const read = (): ConfigMap => settings;
    await eventually(read, toMatch({ data: { mode: /dark/, size: expect.any(String) }, metadata: { uid: undefined } }));
    await eventually(read, toMatch<unknown>({ kind: 'ConfigMap' }));
    await eventually(() => [settings], toMatch([{ data: { mode: 'dark' } }]));
    const wrong: ((object: ConfigMap) => void)[] = [
      // @ts-expect-error the field is metadata
      toMatch({ metdata: { name: 'settings' } }),
      // @ts-expect-error the values are strings
      toMatch({ data: { size: 3 } }),
      // @ts-expect-error it is one object
      toMatch([{ data: { mode: 'dark' } }]),
    ];
    for (const each of wrong) expect(mismatch(each, settings)).toContain('does not match');
    // @ts-expect-error the field is data
    await expect(eventually(read, toMatch({ date: { mode: 'dark' } }), { timeoutMs: 0 })).rejects.toThrow();
  });

  it('matches a global regular expression every time', () => {
    const check = toMatch({ data: { mode: /dark/g } });
    for (let time = 0; time < 2; time++) expect(() => check(settings)).not.toThrow();
  });

  it('compares dates, maps and sets by value', () => {
    const value = { at: new Date(0), tags: new Set(['a']) };
    expect(() => toMatch({ at: new Date(0), tags: new Set(['a']) })(value)).not.toThrow();
    expect(mismatch(toMatch({ at: new Date(1) }), value)).toContain('does not match');
    expect(mismatch(toMatch({ tags: new Set(['b']) }), value)).toContain('does not match');
  });

  it('shows the difference in the expected fields only', () => {
    const message = mismatch(toMatch({ data: { mode: 'light' }, kind: 'ConfigMap' }), settings);
    expect(message).toBe(`ConfigMap shop/settings does not match (- expected, + actual)

  {
    "data": {
-     "mode": "light"
+     "mode": "dark"
    },
    "kind": "ConfigMap"
  }
`);
  });

  it.each([
    ['a list of another length', [{ a: 1 }], [{ a: 1 }, { a: 2 }]],
    ['a missing field', { a: { b: 1 } }, { a: {} }],
    ['null for an object', { a: {} }, { a: null }],
    ['a number for text', { a: '1' }, { a: 1 }],
    ['text that a pattern does not match', { a: /^x/ }, { a: 'y' }],
    ['a list for an object', { a: {} }, { a: [] }],
    ['what a matcher of the test runner rejects', { a: expect.any(Number) }, { a: 'y' }],
    ['no object at all', { a: 1 }, undefined],
  ])('rejects %s', (_, expected, actual) => {
    expect(mismatch(toMatch(expected), actual)).toContain('does not match');
  });
});

describe('toHaveCondition', () => {
  const ready = { type: 'Ready', status: 'False', reason: 'Waiting', message: 'waits for pods' } as const;
  const pod = (conditions: readonly object[], rest: object = {}) => ({
    ...stored(Pod({ metadata: { name: 'web' } })),
    status: { conditions, ...rest },
  });

  it('compares status, reason and message', () => {
    const check = toHaveCondition('Ready', { status: 'False', reason: 'Waiting', message: /pods$/ });
    expect(() => check(pod([ready]))).not.toThrow();
    expect(mismatch(toHaveCondition('Ready'), pod([ready]))).toBe(
      `condition Ready of Pod default/web is False (Waiting: waits for pods) (- expected, + actual)

  {
-   "status": "True",
+   "status": "False",
    "type": "Ready"
  }
`,
    );
  });

  it('lists the existing conditions', () => {
    expect(mismatch(toHaveCondition('Ready'), pod([{ type: 'Initialized', status: 'True' }]))).toContain(
      'Pod default/web has no condition Ready; its conditions: Initialized',
    );
    expect(mismatch(toHaveCondition('Ready'), pod([]))).toContain('its conditions: none');
  });

  it('rejects a condition of an older generation', () => {
    const old = { ...ready, status: 'True', observedGeneration: 0 };
    expect(mismatch(toHaveCondition('Ready'), pod([old]))).toContain('is outdated');
    const status = { ...ready, status: 'True' };
    expect(mismatch(toHaveCondition('Ready'), pod([status], { observedGeneration: 0 }))).toContain('is outdated');
    expect(() => toHaveCondition('Ready')(pod([status], { observedGeneration: 1 }))).not.toThrow();
  });
});

describe('toBeOwnedBy', () => {
  const owner = stored(Pod({ metadata: { name: 'web' } }));
  const reference = { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'uid-of-web' };
  const owned = (...ownerReferences: (typeof reference & { controller?: boolean })[]) =>
    ConfigMap({ metadata: { name: 'settings', ownerReferences } });

  it('requires a controller reference by default', () => {
    expect(() => toBeOwnedBy(owner)(owned({ ...reference, controller: true }))).not.toThrow();
    expect(mismatch(toBeOwnedBy(owner), owned(reference))).toContain('-     "controller": true');
    expect(() => toBeOwnedBy(owner, { controller: false })(owned(reference))).not.toThrow();
  });

  it('compares UIDs, so that a recreated owner does not match', () => {
    expect(mismatch(toBeOwnedBy(owner), owned({ ...reference, uid: 'old', controller: true }))).toContain('"old"');
  });
});

describe('toHaveFinalizer', () => {
  it('lists the existing finalizers', () => {
    const object = ConfigMap({ metadata: { name: 'settings', finalizers: ['a.io/x'] } });
    expect(() => toHaveFinalizer('a.io/x')(object)).not.toThrow();
    expect(mismatch(toHaveFinalizer('a.io/y'), object)).toContain('has no finalizer a.io/y');
  });
});

describe('toHaveEvent', () => {
  const reported = [{ reason: 'Created', note: 'created pod web' }];
  const core = { items: [{ type: 'Warning', reason: 'Failed', message: 'no disk', involvedObject: { name: 'web' } }] };

  it('reads the events of a reconcile and of both APIs', () => {
    expect(() => toHaveEvent({ type: 'Normal', reason: 'Created', note: /web/ })(reported)).not.toThrow();
    expect(() => toHaveEvent({ type: 'Warning', note: 'no disk', name: 'web' })(core)).not.toThrow();
    const events = [{ reason: 'Killed', note: 'x', regarding: { name: 'db' } }];
    expect(() => toHaveEvent({ name: 'db' })(events)).not.toThrow();
  });

  it('lists the existing events', () => {
    const message = mismatch(toHaveEvent({ reason: 'Deleted' }), core);
    expect(message).toContain('no event matches; events found: 1');
    expect(message).toContain('+     "reason": "Failed"');
  });
});

describe('toBeAbsent', () => {
  it.each([[undefined], [[]], [{ items: [] }]])('accepts %j', (value) => {
    expect(() => toBeAbsent()(value)).not.toThrow();
  });

  it('names the object that still exists', () => {
    expect(mismatch(toBeAbsent(), settings)).toBe('still exists: ConfigMap shop/settings');
    expect(mismatch(toBeAbsent(), { items: [settings] })).toBe('still exists: ConfigMap shop/settings');
  });
});
