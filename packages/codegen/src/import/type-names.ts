/** Names that a file with imported kinds uses: a kind of one of these names gets a number. */
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

/** The identifiers of one file, each given out once. */
export class TypeNames {
  readonly #taken = new Set<string>(used);

  /** Returns the name, with a number behind it if it is taken. */
  take(name: string): string {
    let free = name;
    for (let i = 2; this.#taken.has(free); i++) free = `${name}${i}`;
    this.#taken.add(free);
    return free;
  }
}
