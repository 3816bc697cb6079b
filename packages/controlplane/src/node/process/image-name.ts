/** The parts of an image reference that choose a program. */
export interface ImageName {
  /** The path, with registry and library folder cut: `docker.io/library/postgres` → `postgres`, `team/app` stays. */
  readonly repository: string;
  /** `latest` when absent. */
  readonly tag: string;
}

// What comes before the first slash is a registry only with a dot or a port, or as "localhost": a runtime's own rule.
const REFERENCE =
  /^(?:(?:localhost|[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+|[a-zA-Z0-9.-]+(?=:\d+\/))(?::\d+)?\/)?((?:[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*\/)*[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)(?::([\w][\w.-]{0,127}))?(?:@sha256:[0-9a-f]{64})?$/;

/** Reads an image reference; `undefined` when it is none. */
export function parseImageName(image: string): ImageName | undefined {
  const match = image.length > 255 ? null : REFERENCE.exec(image);
  if (!match?.[1]) return undefined;
  const path = match[1].replace(/^library\//, '');
  return { repository: path, tag: match[2] ?? 'latest' };
}
