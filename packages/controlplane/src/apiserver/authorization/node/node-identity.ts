import type { UserInfo } from '../../authentication/authenticator.ts';

const USERNAME_PREFIX = 'system:node:';

/** The name of the node that a user is, `''` if it names none; undefined for a user that is no node. */
export function nodeNameOf({ username, groups }: UserInfo): string | undefined {
  if (!username.startsWith(USERNAME_PREFIX) || !groups.includes('system:nodes')) return undefined;
  return username.slice(USERNAME_PREFIX.length);
}
