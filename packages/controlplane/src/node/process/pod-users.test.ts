import { describe, expect, it } from 'vitest';
import { AssignedUsers } from './assigned-users.ts';
import { PodUsers, podUidRange } from './pod-users.ts';

describe('PodUsers', () => {
  it('gives each pod a different user, and reuses a freed user only if no other is left', () => {
    const users = new PodUsers({ first: 1_000, count: 3 });
    expect(users.take('a')).toEqual({ uid: 1_000, gid: 1_000 });
    expect(users.take('b').uid).toBe(1_001);
    expect(users.take('a').uid).toBe(1_000);
    users.free('a');
    expect(users.of('a')).toBeUndefined();
    expect(users.take('c').uid).toBe(1_002);
    expect(users.take('d').uid).toBe(1_000);
    expect(() => users.take('e')).toThrow(
      /all 3 uids from 1000 are in use; delete pods, or .* larger range \(podUids\)/,
    );
  });

  it("keeps a claim's user while no pod mounts the claim, and shares the user among pods that mount it", () => {
    const users = new PodUsers({ first: 1_000, count: 9 });
    const { uid } = users.take('a', ['ns/data']);
    users.free('a');
    expect(users.take('b').uid).not.toBe(uid);
    expect(users.take('c', ['ns/other', 'ns/data']).uid).toBe(uid);
    expect(users.take('d', ['ns/other']).uid).toBe(uid);
  });

  it('reassigns the user of the longest-unused claim if no other user is left', () => {
    const users = new PodUsers({ first: 1_000, count: 3 });
    const used = new Map(['ns/a', 'ns/b', 'ns/c'].map((claim) => [claim, users.take(claim, [claim]).uid]));
    for (const pod of ['ns/a', 'ns/b']) users.free(pod);
    users.take('again', ['ns/a']);
    users.free('again');
    expect(users.take('d').uid).toBe(used.get('ns/b'));
    expect(users.take('e', ['ns/a']).uid).toBe(used.get('ns/a'));
    expect(() => users.take('f', ['ns/b'])).toThrow('all 3 uids from 1000 are in use');
    users.free('d');
    expect(users.take('f', ['ns/b']).uid).toBe(used.get('ns/b'));
  });

  it('shares the user among pods that mount a claim on different nodes', () => {
    const { one, other } = usersOfTwoNodes();
    const { uid } = one.take('a', ['ns/archive', 'ns/a']);
    expect(other.take('b', ['ns/archive', 'ns/b'])).toEqual({ uid, gid: uid });
    one.free('a');
    other.free('b');
    // The next pod is on the node that did not choose the user.
    expect(other.take('c', ['ns/archive']).uid).toBe(uid);
  });

  it('prefers the user of a claim that a pod mounts on another node', () => {
    const { one, other } = usersOfTwoNodes();
    const { uid } = one.take('a', ['ns/archive']);
    other.take('b', ['ns/b']);
    other.free('b');
    expect(other.take('b', ['ns/b', 'ns/archive']).uid).toBe(uid);
  });

  it('gives pods on nodes with the same range different users', () => {
    const assigned = new AssignedUsers();
    const [one, other] = [1, 2].map(() => new PodUsers({ first: 1_000, count: 2 }, assigned));
    expect(one?.take('a').uid).toBe(1_000);
    expect(other?.take('b').uid).toBe(1_001);
    other?.[Symbol.dispose]();
    expect(one?.of('a')).toBeDefined();
    expect(one?.take('c').uid).toBe(1_001);
  });
});

function usersOfTwoNodes(): { readonly one: PodUsers; readonly other: PodUsers } {
  const assigned = new AssignedUsers();
  return {
    one: new PodUsers({ first: 1_000, count: 9 }, assigned),
    other: new PodUsers({ first: 2_000, count: 9 }, assigned),
  };
}

describe('podUidRange', () => {
  it('gives each node of a machine its own range', () => {
    const all = '         0          0 4294967295\n';
    const [first, second] = [1, 2].map((node) => podUidRange(node, { maps: [all, all] }));
    expect(first).toEqual({ first: 1_879_113_728, count: 65_536 });
    expect(second?.first).toBe(1_879_113_728 + 65_536);
  });

  it('is small if an engine maps few ids, and undefined if it maps hardly any', () => {
    const rootless = '0 1000 1\n1 100000 65535\n';
    expect(podUidRange(3, { maps: [rootless, rootless] })).toEqual({ first: 61_232, count: 16 });
    expect(podUidRange(3, { maps: [rootless, '0 1000 1\n'] })).toBeUndefined();
  });

  it('is the range that the user chose', () => {
    expect(podUidRange(3, { chosen: { first: 5_000, count: 10 }, maps: ['', ''] })).toEqual({
      first: 5_000,
      count: 10,
    });
  });
});
