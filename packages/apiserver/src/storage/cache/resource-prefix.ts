/**
 * Returns the key prefix of the resource that a key, or the prefix of a list, belongs to; undefined if the prefix spans several
 * resources. A resource's prefix has one more segment for custom resources (their group), services and endpoints.
 */
export function resourcePrefix(key: string): string | undefined {
  const [, root, first = '', second = ''] = key.split('/');
  const isLong = first.includes('.') || first === 'services';
  const parts = isLong ? [root, first, second] : [root, first];
  return parts.includes('') || key.length <= parts.join('/').length + 1 ? undefined : `/${parts.join('/')}/`;
}
