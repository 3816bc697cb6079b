/** Keeps the objects decoded last, up to a sum of JSON bytes. */
export class DecodedObjects {
  readonly #maxBytes: number;
  readonly #objects = new Map<object, { readonly value: unknown; readonly bytes: number }>();
  #bytes = 0;

  /** @param maxBytes - sum of the kept objects' JSON lengths; their heap is about three times that. */
  constructor(maxBytes: number = 8 * 1024 * 1024) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(entry: object): unknown {
    const found = this.#objects.get(entry);
    if (!found) return undefined;
    this.#objects.delete(entry);
    this.#objects.set(entry, found);
    return found.value;
  }

  set(entry: object, value: unknown, bytes: number): void {
    if (bytes > this.#maxBytes) return;
    this.delete(entry);
    this.#objects.set(entry, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#objects.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.delete(oldest);
    }
  }

  delete(entry: object): void {
    const found = this.#objects.get(entry);
    if (!found) return;
    this.#objects.delete(entry);
    this.#bytes -= found.bytes;
  }
}
