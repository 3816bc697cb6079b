/** What a reflector keeps equal to the server's state. Called in order, never at the same time. */
export interface ReflectorSink {
  /** A full listing begins: everything put from now on is part of it. */
  beginListing(): void;
  /** The object in `bytes[start, end)` is there, in this version. Answers the version; the bytes are valid until the call returns. */
  put(bytes: Buffer, start: number, end: number): string;
  /** The object in `bytes[start, end)` was deleted; that is its last state. Answers the version. */
  remove(bytes: Buffer, start: number, end: number): string;
  /** The listing is complete: what it did not show is gone. */
  endListing(resourceVersion: string): void;
  /** Everything up to this version was seen. */
  reached(resourceVersion: string): void;
  /** A listing was answered with 404, and nothing says yet that the kind is gone: what is here may be stale. */
  doubted(): void;
  /** The server does not serve the kind, as discovery confirms: there are no objects. */
  notServed(): void;
}
