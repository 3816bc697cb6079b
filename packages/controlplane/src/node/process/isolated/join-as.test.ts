import { describe, expect, it } from 'vitest';
import type { IsolationTools } from '../../../network/isolated/tools.ts';
import { joinAs } from './join-as.ts';

const tools = { setpriv: '/setpriv', unshare: '/unshare' } as IsolationTools;
const options = { tools, own: { uid: 1000, gid: 100 }, enter: ['/nsenter', '--net=/n'] };

describe('joinAs', () => {
  it.each([
    {
      name: 'sets the groups first and the user last',
      user: { uid: 5, gid: 6, groups: [7, 8] },
      words: '/setpriv --regid=6 --groups=7,8 --no-new-privs -- /nsenter --net=/n --setuid=5 --',
    },
    {
      name: 'removes groups',
      user: { uid: 5, gid: 6 },
      words: '/setpriv --regid=6 --clear-groups --no-new-privs -- /nsenter --net=/n --setuid=5 --',
    },
    {
      name: 'leaves root its rights',
      user: { uid: 0, gid: 0 },
      words: '/setpriv --regid=0 --clear-groups -- /nsenter --net=/n --setuid=0 --',
    },
    {
      name: "restores an ordinary user's ids",
      user: undefined,
      words: '/nsenter --net=/n -- /unshare --user --map-user=1000 --map-group=100 --',
    },
  ])('$name', ({ user, words }) => {
    expect(joinAs(user, options).join(' ')).toBe(words);
  });
});
