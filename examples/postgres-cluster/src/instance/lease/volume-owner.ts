import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Records on the volume which pod used it last. If a pod on a lost node was replaced, and the volume is attached to
 * both nodes, the record tells the old pod to stop, even though it cannot reach the API server.
 */
export class VolumeOwner {
  readonly #path: string;
  readonly #pod: string;

  /** @param pod - UID of this pod */
  constructor(volume: string, pod: string) {
    this.#path = join(volume, 'owner');
    this.#pod = pod;
  }

  /** Claims the volume for this pod. */
  claim(): Promise<void> {
    return writeFile(this.#path, this.#pod);
  }

  /** Returns true if no other pod has claimed the volume since this pod did. */
  async isOwner(): Promise<boolean> {
    return (await readFile(this.#path, 'utf8')) === this.#pod;
  }
}
