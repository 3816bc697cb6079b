/** A short digest of a set of objects and their versions, independent of order. */
export class Digest {
  #count = 0;
  #sum = 0;

  add(name, version) {
    this.#count++;
    let hash = 2166136261;
    for (const letter of `${name}/${version}`) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619);
    this.#sum = (this.#sum + (hash >>> 0)) % Number.MAX_SAFE_INTEGER;
  }

  get text() {
    return `${this.#count}:${this.#sum}`;
  }
}
