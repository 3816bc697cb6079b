import { equals, type Meter } from '../values/equality.ts';
import { type CelList, elements } from '../values/list.ts';
import type { CelValue } from '../values/value.ts';
import { type Library, overload } from './library.ts';

type List = readonly CelValue[] | CelList;

/** Lists as sets: `sets.contains`, `sets.equivalent`, `sets.intersects`. */
export const setsLibrary: Library = {
  name: 'cel.lib.ext.sets',
  overloads: [
    overload<[List, List]>('::sets.contains(list(T), list(T)) bool', contains),
    overload<[List, List]>(
      '::sets.equivalent(list(T), list(T)) bool',
      (meter, a, b) => contains(meter, a, b) && contains(meter, b, a),
    ),
    overload<[List, List]>('::sets.intersects(list(T), list(T)) bool', (meter, a, b) =>
      elements(a).some((element) => has(meter, b, element)),
    ),
  ],
};

function contains(meter: Meter, list: List, part: List): boolean {
  return elements(part).every((element) => has(meter, list, element));
}

function has(meter: Meter, list: List, value: CelValue): boolean {
  meter.charge(list.length);
  return elements(list).some((element) => equals(element, value, meter));
}
