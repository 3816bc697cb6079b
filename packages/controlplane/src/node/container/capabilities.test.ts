import { describe, expect, it } from 'vitest';
import { boundingSet } from './capabilities.ts';

describe('boundingSet', () => {
  it.each([
    [{ drop: ['ALL'] }, '-all'],
    [{ drop: ['ALL'], add: ['NET_BIND_SERVICE'] }, '-all,+net_bind_service'],
    [{ drop: ['ALL'], add: ['CAP_CHOWN'] }, '-all,+chown'],
    [{ add: ['ALL'], drop: ['KILL'] }, '+all,-kill'],
    [{ add: ['ALL'] }, undefined],
  ])('of %j is %j', (capabilities, expected) => {
    expect(boundingSet({ capabilities })).toBe(expected);
  });

  it('has the usual capabilities of a container runtime unless the pod changes them', () => {
    expect(boundingSet({})).toMatch(/^-all,\+audit_write,\+chown,/);
    expect(boundingSet({ capabilities: { drop: ['CHOWN'], add: ['SYS_TIME'] } })).toMatch(
      /^-all,\+audit_write,\+dac_override,.*,\+sys_time$/,
    );
    expect(boundingSet({ privileged: true })).toBeUndefined();
  });
});
