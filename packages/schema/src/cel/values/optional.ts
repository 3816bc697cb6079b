import type { CelValue } from './value.ts';

/** A value that may be absent. */
export class CelOptional {
  static readonly none: CelOptional = new CelOptional(undefined);
  readonly value: CelValue | undefined;

  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}
