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
  const rejection = (inFlight: InFlight, request: SlotRequest): unknown => {
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
    expect(rejection(inFlight, from('a'))).toEqual(full);
    expect(rejection(inFlight, from('a', { writes: false }))).toBeUndefined();
    expect(rejection(inFlight, from('b'))).toBeUndefined();
    inFlight.leave(from('a'));
    expect(rejection(inFlight, from('a'))).toBeUndefined();
  });

  it('reserves slots for privileged callers', () => {
    const inFlight = make();
    for (const user of ['a', 'a', 'b', 'b']) inFlight.enter(from(user));
    expect(rejection(inFlight, from('c'))).toEqual(full);
    const admin = from('admin', { privileged: true });
    expect(rejection(inFlight, admin)).toBeUndefined();
    expect(rejection(inFlight, admin)).toBeUndefined();
    expect(rejection(inFlight, admin)).toEqual(full);
    inFlight.leave(admin);
    expect(rejection(inFlight, from('c'))).toEqual(full);
    expect(rejection(inFlight, admin)).toBeUndefined();
  });

  it('lets a privileged caller use every slot', () => {
    const inFlight = make();
    const admin = from('admin', { privileged: true });
    for (let i = 0; i < 6; i++) inFlight.enter(admin);
    expect(rejection(inFlight, admin)).toEqual(full);
  });
});
