import type { UserInfo } from '@kubewright/apiserver';

const USERNAME_PREFIX = 'system:node:';

/** Returns a node user's node name, `''` if it names none; undefined for a user that is not a node. */
export function nodeNameOf({ username, groups }: UserInfo): string | undefined {
  if (!username.startsWith(USERNAME_PREFIX) || !groups.includes('system:nodes')) return undefined;
  return username.slice(USERNAME_PREFIX.length);
}
