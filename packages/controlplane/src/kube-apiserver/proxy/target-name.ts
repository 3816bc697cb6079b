/** A target in a proxy path: the name of a pod or Service, with scheme and port. */
export interface TargetName {
  /** Empty means `http`. */
  readonly scheme: string;
  readonly name: string;
  /** A port number or name; empty means the first port. */
  readonly port: string;
}

/**
 * Parses `name`, `name:port` and `scheme:name:port`; returns undefined for anything else. Mirrors `SplitSchemeNamePort` of
 * k8s.io/apimachinery (1.36).
 */
export function splitTargetName(text: string): TargetName | undefined {
  const parts = text.split(':');
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  const isValid = parts.length <= 3 && name !== '' && ['', 'http', 'https'].includes(scheme);
  return isValid ? { scheme, name, port } : undefined;
}
