const maxUint: bigint = 2n ** 64n - 1n;

/** An unsigned 64-bit integer. */
export class CelUint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

export function isUint64(value: bigint): boolean {
  return value >= 0n && value <= maxUint;
}
