/** A challenge of a `WWW-Authenticate` header. */
export interface Challenge {
  /** The scheme in lower case: `bearer`, `basic`. */
  readonly scheme: string;
  /** The parameters, with names in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
}

const token = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))|([\w-]+)/g;

/** Parses a `WWW-Authenticate` header (RFC 9110), which can contain several challenges. */
export function parseChallenges(header: string): readonly Challenge[] {
  const challenges: { scheme: string; parameters: Record<string, string> }[] = [];
  for (const [, name, quoted, plain = '', scheme] of header.matchAll(token)) {
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), parameters: {} });
    const current = challenges.at(-1);
    if (name !== undefined && current)
      current.parameters[name.toLowerCase()] = quoted?.replace(/\\(.)/g, '$1') ?? plain;
  }
  return challenges;
}
