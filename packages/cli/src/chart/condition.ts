/** Combines two conditions with `and`. If one condition is undefined, returns the other. */
export function both(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  if (a.split(' ').includes(b)) return a;
  const grouped = (condition: string): string => (condition.includes(' ') ? `(${condition})` : condition);
  return `and ${grouped(a)} ${grouped(b)}`;
}
