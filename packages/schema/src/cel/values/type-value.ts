import type { CelType } from '../types/cel-type.ts';

/** A type as a value: what `type(x)` gives and what `int` stands for in `type(x) == int`. */
export class CelTypeValue {
  readonly type: CelType;

  constructor(type: CelType) {
    this.type = type;
  }

  get name(): string {
    return this.type.name;
  }
}
