/** A store that a reflector keeps in sync with the server's state. Methods are called in order, never concurrently. */
export interface ReflectorSink {
  /** Starts a full list: everything put from now on is part of it. */
  beginListing(): void;
  /** Stores the object in `bytes[start, end)` and returns its version; the bytes are valid until the call returns. */
  put(bytes: Buffer, start: number, end: number): string;
  /** Removes the deleted object whose last state is in `bytes[start, end)`, and returns its version. */
  remove(bytes: Buffer, start: number, end: number): string;
  /** Completes the list: objects that it did not contain are removed. */
  endListing(resourceVersion: string): void;
  /** Records that everything up to this version was seen. */
  reached(resourceVersion: string): void;
  /** Records that a list returned 404 without confirmation that the kind was removed: the contents may be stale. */
  doubted(): void;
  /** Records that discovery confirms that the server does not serve the kind: there are no objects. */
  notServed(): void;
}
