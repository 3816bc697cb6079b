import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type ErrorText, KubewrightError } from './kubewright-error.ts';

class LostError extends KubewrightError {
  override readonly name = 'LostError';
  readonly code = 'KW1999';
}

const parts: ErrorText = {
  what: 'cannot read kubeconfig ~/.kube/config',
  why: 'permission denied',
  remedy: 'run chmod u+r ~/.kube/config',
};

describe('KubewrightError', () => {
  it('composes the message from its parts', () => {
    const { what, why, remedy } = parts;
    expect(new LostError(parts).message).toBe(
      'cannot read kubeconfig ~/.kube/config: permission denied; run chmod u+r ~/.kube/config',
    );
    expect(new LostError({ what, remedy }).message).toBe(`${what}; ${remedy}`);
    expect(new LostError({ what, why }).message).toBe(`${what}: ${why}`);
    expect(new LostError({ what }).message).toBe(what);
  });

  it('has the parts as fields', () => {
    const error = new LostError(parts);
    expect([error.name, error.code, error.what, error.why, error.remedy]).toEqual([
      'LostError',
      'KW1999',
      parts.what,
      parts.why,
      parts.remedy,
    ]);
  });

  it('keeps the cause if one is given', () => {
    const cause = new Error('EACCES');
    expect(new LostError(parts, { cause }).cause).toBe(cause);
    expect('cause' in new LostError(parts)).toBe(false);
  });

  it('prints its text once when it is not caught', () => {
    const printed = inspect(new LostError(parts));
    expect(printed.split('permission denied')).toHaveLength(2);
    expect(printed).toContain("code: 'KW1999'");
  });
});
