import type { Difference } from '../../testdata/replay-steps.ts';

/** The closed list, by script and number of the step. */
export const acceptedDifferences: Readonly<Record<'admission' | 'conversion', Readonly<Record<number, Difference>>>> = {
  admission: {},
  conversion: {},
};
