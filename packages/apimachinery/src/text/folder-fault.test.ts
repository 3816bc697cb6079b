import { describe, expect, it } from 'vitest';
import { folderFault } from './folder-fault.ts';

const instead = 'start elsewhere';

describe('folderFault', () => {
  it.each([
    ['ENOENT', 'create the folder (mkdir -p /a/b), or start elsewhere'],
    ['ENOTDIR', 'replace the file in the path /a/b with a folder, or start elsewhere'],
    ['EEXIST', 'replace the file /a/b with a folder, or start elsewhere'],
    ['EROFS', 'remount the file system read-write, or start elsewhere'],
    ['ENOSPC', 'free disk space, or start elsewhere'],
    ['EMFILE', 'close other programs, or raise the limit on open files (ulimit -n)'],
    ['EACCES', 'make /a/b writable for this user, or start elsewhere'],
  ])('suggests a remedy for %s', (code, remedy) => {
    const error = Object.assign(new Error(`${code}: the system's words`), { code });
    expect(folderFault(error, { path: '/a/b', instead })).toEqual({ why: `${code}: the system's words`, remedy });
  });

  it('reports the path length if the name is too long', () => {
    const path = `/tmp/${'a'.repeat(300)}`;
    const error = Object.assign(new Error('ENAMETOOLONG: name too long'), { code: 'ENAMETOOLONG' });
    const { why, remedy } = folderFault(error, { path, instead });
    expect(why).toMatch(
      /^ENAMETOOLONG: name too long \(the path has 305 characters, and its longest file name 300; most systems allow/,
    );
    expect(remedy).toBe('start elsewhere with a shorter path');
  });
});
