/** Returns the field with its count, or nothing if the count is zero: Go omits such fields from a status. */
export function nonZero(name: string, count: number): Readonly<Record<string, number>> {
  return count === 0 ? {} : { [name]: count };
}
