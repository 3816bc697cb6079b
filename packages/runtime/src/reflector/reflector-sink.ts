/** A store that a reflector keeps in sync with the server's state. Methods are called in order, never concurrently. */
export interface ReflectorSink {
  /** Starts a full list; all objects put from now on are part of it. */
  beginListing(): void;
  /** Stores the object in `bytes[start, end)` and returns its version; the bytes are valid until the call returns. */
  put(bytes: Buffer, start: number, end: number): string;
  /** Removes the deleted object whose last state is in `bytes[start, end)`, and returns its version. */
  remove(bytes: Buffer, start: number, end: number): string;
  /** Completes the list; objects missing from the list are removed. */
  endListing(resourceVersion: string): void;
  /** Records that all changes up to the given version were seen. */
  reached(resourceVersion: string): void;
  /** Records that a list returned 404, but the removal of the kind is not confirmed. The contents may be stale. */
  doubted(): void;
  /** Records that discovery confirms that the server does not serve the kind, so there are no objects. */
  notServed(): void;
}
