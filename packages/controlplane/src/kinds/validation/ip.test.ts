import { FieldPath } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { interfaceAddress } from './ip.ts';

describe('interfaceAddress', () => {
  const form = 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)';
  it.each([
    ['10.9.8.7/24', undefined],
    ['2001:db8::1/64', undefined],
    ['10.9.8.7', form],
    ['fe80::1%eth0/64', form],
    ['2001:DB8:0:0::1/64', 'must be in canonical form ("2001:db8::1/64")'],
    ['::ffff:10.0.0.1/128', 'must be in canonical form ("10.0.0.1/32")'],
    ['::ffff:192.168.0.1/120', 'must be in canonical form ("192.168.0.1/24")'],
  ])('checks %s', (address, detail) => {
    const body = `Invalid value: ${JSON.stringify(address)}: ${detail}`;
    expect(interfaceAddress(address, FieldPath.of('ip')).map((fault) => fault.body)).toEqual(detail ? [body] : []);
  });
});
