/** True for a name that a cluster can have. */
export function isClusterName(text: string): boolean {
  return /^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/.test(text);
}
