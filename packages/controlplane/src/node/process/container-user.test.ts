import { describe, expect, it } from 'vitest';
import { containerUser } from './container-user.ts';

const passwd = 'root:x:0:0::/:/bin/sh\npostgres:x:70:71::/:/bin/sh\nnobody:x:65534:65533::/:/bin/sh\n';
const root = { agentUid: 0, allowRoot: false, canGrantGroups: true, passwd };
const podUser = { uid: 5_000, gid: 5_000 };

describe('containerUser', () => {
  it("is the pod's own user in its own group", () => {
    expect(containerUser({}, { ...root, podUser })).toEqual({ uid: 5_000, gid: 5_000 });
    expect(containerUser({ groups: [9] }, { ...root, podUser })).toEqual({ uid: 5_000, gid: 5_000, groups: [9] });
  });

  it("is the user named by the pod, who also joins the pod's group", () => {
    expect(containerUser({ runAsUser: 70 }, { ...root, podUser })).toEqual({ uid: 70, gid: 71, groups: [5_000] });
    expect(containerUser({ runAsUser: 1_234 }, { ...root, podUser })).toEqual({ uid: 1_234, gid: 5_000 });
    expect(containerUser({ runAsUser: 70, runAsGroup: 8, groups: [8, 9] }, { ...root, podUser })).toEqual({
      uid: 70,
      gid: 8,
      groups: [9, 5_000],
    });
  });

  it('falls back to the unprivileged user if pods have no separate users', () => {
    expect(containerUser({}, root)).toEqual({ uid: 65_534, gid: 65_533 });
    expect(containerUser({ runAsUser: 1_234 }, root)).toEqual({ uid: 1_234, gid: 65_533 });
    expect(() => containerUser({}, { ...root, passwd: '' })).toThrow(
      'user "nobody", the default for containers, does not exist',
    );
  });

  it('is the agent itself if the agent is not root', () => {
    expect(containerUser({ runAsUser: 70 }, { ...root, agentUid: 1_000, podUser })).toBeUndefined();
  });

  it('is root only if allowed', () => {
    expect(() => containerUser({ runAsUser: 0 }, { ...root, podUser })).toThrow('cannot run as uid 0');
    expect(() => containerUser({ groups: [0] }, { ...root, podUser })).toThrow('cannot run as gid 0');
    expect(containerUser({ runAsUser: 0 }, { ...root, podUser, allowRoot: true })).toMatchObject({ uid: 0, gid: 0 });
  });
});
