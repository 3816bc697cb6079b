import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failureOf } from './failure.ts';

/** Returns the failure for the error that a call throws. */
function described(call: () => unknown): ReturnType<typeof failureOf> {
  try {
    call();
  } catch (error) {
    return failureOf(error, { debug: false });
  }
  throw new Error('nothing failed');
}

describe('file system failures', () => {
  it('are environment failures, with path, reason and remedy', () => {
    expect(described(() => mkdirSync(join(tmpdir(), 'a'.repeat(300))))).toEqual({
      exitCode: 3,
      message: {
        code: 'KW7011',
        what: expect.stringMatching(/^cannot create folder .*…a{40} \(3\d\d characters\)$/),
        why: 'the file name or path is too long',
        remedy: 'choose a shorter name, or a folder with a shorter path',
      },
    });
    expect(described(() => readFileSync(tmpdir())).message.why).toBe('the path is a folder, not a file');
  });

  it('mention TMPDIR if it is the cause', () => {
    const { message } = described(() => mkdtempSync('/nowhere/kubewright-'));
    expect(message).toMatchObject({ code: 'KW7011', remedy: expect.stringContaining('set TMPDIR') });
  });

  it.each(['EACCES', 'EROFS', 'ENOSPC', 'EDQUOT', 'EMFILE'])('cover %s', (code) => {
    const error = Object.assign(new Error(code), { code, syscall: 'open', path: '/a/b' });
    expect(failureOf(error, { debug: false }).message).toMatchObject({ code: 'KW7011', what: 'cannot open /a/b' });
  });

  it('are recognized as the cause of another error', () => {
    const cause = Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'mkdir', path: '/a' });
    expect(failureOf(new Error('failed', { cause }), { debug: false }).message.code).toBe('KW7011');
  });
});
