import { describe, expect, it } from 'vitest';
import { InFlight, type SlotRequest } from './in-flight.ts';

const from = (username: string, options: Partial<SlotRequest> = {}): SlotRequest => ({
  writes: true,
  privileged: false,
  username,
  ...options,
});

describe('InFlight', () => {
  const make = (): InFlight => new InFlight({ maxReading: 4, maxWriting: 4, reserved: 2, userShare: 0.5 });
  const full = expect.objectContaining({ httpStatus: 429 });
  const refusal = (inFlight: InFlight, request: SlotRequest): unknown => {
    try {
      inFlight.enter(request);
      return undefined;
    } catch (error) {
      return error;
    }
  };

  it('limits one user to a share of the slots', () => {
    const inFlight = make();
    inFlight.enter(from('a'));
    inFlight.enter(from('a'));
    expect(refusal(inFlight, from('a'))).toEqual(full);
    expect(refusal(inFlight, from('a', { writes: false }))).toBeUndefined();
    expect(refusal(inFlight, from('b'))).toBeUndefined();
    inFlight.leave(from('a'));
    expect(refusal(inFlight, from('a'))).toBeUndefined();
  });

  it('reserves slots for privileged callers', () => {
    const inFlight = make();
    for (const user of ['a', 'a', 'b', 'b']) inFlight.enter(from(user));
    expect(refusal(inFlight, from('c'))).toEqual(full);
    const admin = from('admin', { privileged: true });
    expect(refusal(inFlight, admin)).toBeUndefined();
    expect(refusal(inFlight, admin)).toBeUndefined();
    expect(refusal(inFlight, admin)).toEqual(full);
    inFlight.leave(admin);
    expect(refusal(inFlight, from('c'))).toEqual(full);
    expect(refusal(inFlight, admin)).toBeUndefined();
  });

  it('lets a privileged caller use every slot', () => {
    const inFlight = make();
    const admin = from('admin', { privileged: true });
    for (let i = 0; i < 6; i++) inFlight.enter(admin);
    expect(refusal(inFlight, admin)).toEqual(full);
  });
});
