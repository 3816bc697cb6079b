import type { CelType } from '../types/cel-type.ts';
import { CelMap } from './map.ts';
import type { CelValue } from './value.ts';

/** A structure that an expression created, such as `Object.spec{replicas: 3}`. */
export class CelObject extends CelMap {
  readonly type: CelType;
  readonly fields: ReadonlyMap<string, CelValue>;

  constructor(type: CelType, fields: ReadonlyMap<string, CelValue>) {
    super();
    this.type = type;
    this.fields = fields;
  }

  get size(): number {
    return this.fields.size;
  }

  get(key: CelValue): CelValue | undefined {
    return typeof key === 'string' ? this.fields.get(key) : undefined;
  }

  keys(): readonly CelValue[] {
    return [...this.fields.keys()];
  }
}
