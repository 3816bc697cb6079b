/** Names that a file with imported kinds uses; kinds with one of these names get a number. */
const used: readonly string[] = [
  'Kind',
  'KubernetesObject',
  'ObjectOf',
  'IntOrString',
  'Record',
  'Readonly',
  'NaN',
  'Infinity',
];

/** Allocates the identifiers of a file, each only once. */
export class TypeNames {
  readonly #taken = new Set<string>(used);

  /** Returns the name, with a number appended if it is taken. */
  take(name: string): string {
    let free = name;
    for (let i = 2; this.#taken.has(free); i++) free = `${name}${i}`;
    this.#taken.add(free);
    return free;
  }
}
