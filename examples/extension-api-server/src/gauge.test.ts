import { describe, expect, it } from 'vitest';
import { measure } from './gauge.ts';

describe('measure', () => {
  it('rises and falls within a day', () => {
    const hours = [0, 6, 12, 18];
    const garden = hours.map((hour) => measure('default', hour * 3_600_000)[0]?.spec.metres);
    expect(garden).toEqual([4, 5, 4, 3]);
  });

  it('names the place and the time', () => {
    expect(measure('farm', 0)[1]).toMatchObject({
      metadata: { name: 'yard', namespace: 'farm' },
      spec: { timestamp: '1970-01-01T00:00:00.000Z', metres: 5 },
    });
  });
});
