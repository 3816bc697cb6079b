import type { UserInfo } from '@kubewright/apiserver';

const usernamePrefix = 'system:node:';

/** Returns a node user's node name, `''` if it names none; undefined for a user that is not a node. */
export function nodeNameOf({ username, groups }: UserInfo): string | undefined {
  if (!username.startsWith(usernamePrefix) || !groups.includes('system:nodes')) return undefined;
  return username.slice(usernamePrefix.length);
}
