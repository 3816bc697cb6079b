import type { CelType } from '../types/cel-type.ts';

/** A type as a value: the result of `type(x)`, and `int` in `type(x) == int`. */
export class CelTypeValue {
  readonly type: CelType;

  constructor(type: CelType) {
    this.type = type;
  }

  get name(): string {
    return this.type.name;
  }
}
