/** A double. Boxed, because plain numbers are ints. */
export class CelDouble {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}
