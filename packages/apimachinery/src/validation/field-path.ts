/**
 * The location of a field in an object, as the API's messages show it: `spec.containers[0].name`, `metadata.labels[app]`.
 *
 * Paths are immutable and share their prefix. The text is built only on demand, so it costs nothing for valid fields.
 */
export class FieldPath {
  readonly #parent: FieldPath | undefined;
  readonly #segment: string;

  private constructor(parent: FieldPath | undefined, segment: string) {
    this.#parent = parent;
    this.#segment = segment;
  }

  /** Starts a path; several names nest: `FieldPath.of('spec', 'replicas')`. */
  static of(name: string, ...more: readonly string[]): FieldPath {
    return new FieldPath(undefined, name).child(...more);
  }

  /** Returns the path of a field below this one. */
  child(...names: readonly string[]): FieldPath {
    let path: FieldPath = this;
    for (const name of names) path = new FieldPath(path, `.${name}`);
    return path;
  }

  /** Returns the path of a list element. */
  index(index: number): FieldPath {
    return new FieldPath(this, `[${index}]`);
  }

  /** Returns the path of a map entry. */
  key(key: string): FieldPath {
    return new FieldPath(this, `[${key}]`);
  }

  /** Formats the path as in messages: `spec.ports[0].name`. */
  toString(): string {
    const segments: string[] = [];
    for (let path: FieldPath | undefined = this; path !== undefined; path = path.#parent) segments.push(path.#segment);
    return segments.reverse().join('');
  }
}
