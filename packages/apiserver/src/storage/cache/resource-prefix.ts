/**
 * Returns the prefix of all keys of a resource, for a key or a prefix of it; undefined for a prefix of several resources. Custom
 * resources have their group in the key, and services and endpoints share a first part.
 */
export function resourcePrefix(key: string): string | undefined {
  const [, root, first = '', second = ''] = key.split('/');
  const isLong = first.includes('.') || first === 'services';
  const parts = isLong ? [root, first, second] : [root, first];
  return parts.includes('') || key.length <= parts.join('/').length + 1 ? undefined : `/${parts.join('/')}/`;
}
