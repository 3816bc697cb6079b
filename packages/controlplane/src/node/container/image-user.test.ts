import { describe, expect, it } from 'vitest';
import { imageUser } from './image-user.ts';

const database = {
  passwd: 'root:x:0:0::/root:/bin/sh\napp:x:1000:1001::/home/app:/bin/sh\n',
  group: 'root:x:0:\nteam:x:1001:\nextra:x:1002:app,other\n',
};
const of = (user: string | undefined, wanted: Parameters<typeof imageUser>[1]['wanted'] = {}) =>
  imageUser({ config: user === undefined ? {} : { User: user } }, { database, wanted });

describe('imageUser', () => {
  it.each([
    [undefined, {}, { uid: 0, gid: 0, groups: [], home: '/root' }],
    ['app', {}, { uid: 1000, gid: 1001, groups: [1002], home: '/home/app' }],
    ['1000', {}, { uid: 1000, gid: 1001, groups: [1002], home: '/home/app' }],
    ['app:extra', {}, { uid: 1000, gid: 1002, groups: [], home: '/home/app' }],
    ['4711', {}, { uid: 4711, gid: 0, groups: [], home: '/' }],
    ['4711:4712', {}, { uid: 4711, gid: 4712, groups: [], home: '/' }],
    ['app', { runAsUser: 7 }, { uid: 7, gid: 0, groups: [], home: '/' }],
    ['app', { runAsGroup: 8, groups: [9] }, { uid: 1000, gid: 8, groups: [1002, 9], home: '/home/app' }],
  ])('resolves %j with %j', (user, wanted, expected) => {
    expect(of(user, wanted)).toEqual(expected);
  });

  it.each([
    ['nobody', 'unable to find user nobody: no matching entries in passwd file'],
    ['app:none', 'unable to find group none: no matching entries in group file'],
    ['70000', 'containers cannot use the user or group ID 70000 on this node: IDs must be below 65536'],
  ])('rejects %j', (user, message) => {
    expect(() => of(user)).toThrow(message);
  });
});

describe('imageUser of a container that must not run as root', () => {
  const runAsNonRoot = true;

  it('accepts other users', () => {
    expect(of('app', { runAsNonRoot }).uid).toBe(1000);
    expect(of(undefined, { runAsNonRoot, runAsUser: 7 }).uid).toBe(7);
  });

  it('rejects root with the reasons of a kubelet', () => {
    expect(() => of(undefined, { runAsNonRoot })).toThrow('container has runAsNonRoot and image will run as root');
    expect(() => of('app', { runAsNonRoot, runAsUser: 0 })).toThrow("container's runAsUser breaks non-root policy");
  });
});
