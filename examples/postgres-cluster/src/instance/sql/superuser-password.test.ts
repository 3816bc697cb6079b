import { describe, expect, it } from 'vitest';
import { isVerifierOf, scramVerifier } from '../../sql/scram-verifier.ts';
import { type PasswordStep, passwordStep } from './superuser-password.ts';

const stored = scramVerifier('pencil', Buffer.from('0123456789abcdef'));

describe('passwordStep', () => {
  it.each<[PasswordStep, string, Parameters<typeof passwordStep>[0]]>([
    ['set', 'a password is missing', { isAllowed: true, stored: undefined, password: 'pencil' }],
    ['set', 'the password has changed', { isAllowed: true, stored, password: 'crayon' }],
    ['set', 'the server has a hash of another kind', { isAllowed: true, stored: 'md5abc', password: 'pencil' }],
    ['keep', 'it is the password', { isAllowed: true, stored, password: 'pencil' }],
    ['keep', 'the Secret is not mounted yet', { isAllowed: true, stored, password: undefined }],
    ['keep', 'the password of the Secret is empty', { isAllowed: true, stored, password: '' }],
    ['clear', 'clients lose the access', { isAllowed: false, stored, password: undefined }],
    ['keep', 'there is no access and no password', { isAllowed: false, stored: undefined, password: undefined }],
  ])('is %s if %s', (step, _, state) => {
    expect(passwordStep(state)).toBe(step);
  });
});

describe('isVerifierOf', () => {
  it('reads salt and iterations from the verifier', () => {
    // From a server with scram_iterations = 4096 and another salt.
    expect(isVerifierOf(scramVerifier('pencil', Buffer.from('fedcba9876543210')), 'pencil')).toBe(true);
    expect(isVerifierOf(stored.replace('4096', '4097'), 'pencil')).toBe(false);
  });
});
