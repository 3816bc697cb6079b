/** The name of a pod or a service in the path of a proxy, with its scheme and port. */
export interface TargetName {
  /** Empty means http. */
  readonly scheme: string;
  readonly name: string;
  /** A number or a name; empty means the first one. */
  readonly port: string;
}

/**
 * Splits `name`, `name:port` and `scheme:name:port`; undefined for anything else. Mirrors `SplitSchemeNamePort` of
 * k8s.io/apimachinery (1.36).
 */
export function splitTargetName(text: string): TargetName | undefined {
  const parts = text.split(':');
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  const isValid = parts.length <= 3 && name !== '' && ['', 'http', 'https'].includes(scheme);
  return isValid ? { scheme, name, port } : undefined;
}
