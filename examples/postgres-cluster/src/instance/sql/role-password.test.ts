import { describe, expect, it } from 'vitest';
import { isVerifierOf, scramVerifier } from '../../sql/scram-verifier.ts';
import { type PasswordStep, passwordStep } from './role-password.ts';

const stored = scramVerifier('pencil', Buffer.from('0123456789abcdef'));

describe('passwordStep', () => {
  it.each<[PasswordStep, string, Parameters<typeof passwordStep>[0]]>([
    ['set', 'the server has no password', { isAllowed: true, stored: undefined, password: 'pencil' }],
    ['set', 'the password in the Secret has changed', { isAllowed: true, stored, password: 'crayon' }],
    ['set', 'the server has a hash of another kind', { isAllowed: true, stored: 'md5abc', password: 'pencil' }],
    ['keep', 'the server has the password in the Secret', { isAllowed: true, stored, password: 'pencil' }],
    ['keep', 'the Secret is not mounted yet', { isAllowed: true, stored, password: undefined }],
    ['keep', 'the password in the Secret is empty', { isAllowed: true, stored, password: '' }],
    [
      'clear',
      'superuserAccess is off and the server has a password',
      { isAllowed: false, stored, password: undefined },
    ],
    [
      'keep',
      'superuserAccess is off and the server has no password',
      { isAllowed: false, stored: undefined, password: undefined },
    ],
  ])('is %s if %s', (step, _, state) => {
    expect(passwordStep(state)).toBe(step);
  });
});

describe('isVerifierOf', () => {
  it('uses the salt and the iterations of the verifier', () => {
    // Another salt, as on a server that generated its own verifier.
    expect(isVerifierOf(scramVerifier('pencil', Buffer.from('fedcba9876543210')), 'pencil')).toBe(true);
    expect(isVerifierOf(stored.replace('4096', '4097'), 'pencil')).toBe(false);
  });
});
