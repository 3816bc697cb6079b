import type { UserInfo } from '@kubewright/apiserver';

const usernamePrefix = 'system:node:';

/** Returns the node name of a node user, or `''` if the user names no node; undefined for any other user. */
export function nodeNameOf({ username, groups }: UserInfo): string | undefined {
  if (!username.startsWith(usernamePrefix) || !groups.includes('system:nodes')) return undefined;
  return username.slice(usernamePrefix.length);
}
