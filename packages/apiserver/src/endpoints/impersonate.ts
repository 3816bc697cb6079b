import { badRequest } from '@kubewright/apimachinery';
import type { UserInfo } from '../authentication/authenticator.ts';
import { decodeExtraKey } from '../authentication/extra-key.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { ApiRequest } from '../http/api-request.ts';
import { denied } from './authorize.ts';

const extraPrefix = 'impersonate-extra-';

/**
 * Replaces the caller with the impersonated user, if the caller has permission (`Impersonate-User`, `-Group`, `-Uid`,
 * `-Extra-*`, 1.36).
 *
 * @throws StatusError 400 for groups without a user, 403 for an identity that the caller is not allowed to impersonate
 */
export async function impersonate(request: ApiRequest, user: UserInfo, authorizer: Authorizer): Promise<UserInfo> {
  const requested = readHeaders(request);
  if (requested === undefined) return user;
  if (requested.username === '') {
    throw badRequest('the Impersonate-Group, Impersonate-Uid and Impersonate-Extra headers require Impersonate-User');
  }
  await check(requested, user, authorizer);
  return withImpliedGroups(requested);
}

interface RequestedIdentity {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

function readHeaders({ headers }: ApiRequest): RequestedIdentity | undefined {
  let found = false;
  const extra: Record<string, readonly string[]> = Object.create(null) as Record<string, readonly string[]>;
  for (const name in headers) {
    if (!name.startsWith('impersonate-')) continue;
    found = true;
    if (!name.startsWith(extraPrefix)) continue;
    extra[decodeExtraKey(name.slice(extraPrefix.length))] = splitValues(headers[name] ?? '');
  }
  if (!found) return undefined;
  return {
    username: headers['impersonate-user'] ?? '',
    uid: headers['impersonate-uid'] ?? '',
    groups: splitValues(headers['impersonate-group'] ?? ''),
    extra,
  };
}

/** Splits a header's values. Repeated headers arrive joined by commas. */
function splitValues(text: string): readonly string[] {
  return text === '' ? [] : text.split(',').map((value) => value.trim());
}

interface Identity {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

async function check(requested: RequestedIdentity, user: UserInfo, authorizer: Authorizer): Promise<void> {
  for (const identity of identities(requested)) {
    const attributes = { user, verb: 'impersonate', resource: { ...identity, version: 'v1' } };
    const { decision, reason } = await authorizer.authorize(attributes);
    if (decision !== 'allow') throw denied(attributes, reason);
  }
}

function identities({ username, uid, groups, extra }: RequestedIdentity): readonly Identity[] {
  const plain = { group: '', subresource: '', namespace: '' };
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username);
  const list: Identity[] = [
    account
      ? { ...plain, resource: 'serviceaccounts', namespace: account[1] ?? '', name: account[2] ?? '' }
      : { ...plain, resource: 'users', name: username },
    ...groups.map((name) => ({ ...plain, resource: 'groups', name })),
  ];
  const authentication = { ...plain, group: 'authentication.k8s.io' };
  if (uid !== '') list.push({ ...authentication, resource: 'uids', name: uid });
  for (const [key, values] of Object.entries(extra)) {
    for (const name of values) list.push({ ...authentication, resource: 'userextras', subresource: key, name });
  }
  return list;
}

function withImpliedGroups({ username, uid, groups, extra }: RequestedIdentity): UserInfo {
  const implied = [...groups];
  if (username === 'system:anonymous') {
    if (!implied.includes('system:unauthenticated')) implied.push('system:unauthenticated');
  } else {
    const account = /^system:serviceaccount:([^:]+):[^:]+$/.exec(username);
    if (account && groups.length === 0) {
      implied.push('system:serviceaccounts', `system:serviceaccounts:${account[1]}`);
    }
    if (!implied.includes('system:authenticated')) implied.push('system:authenticated');
  }
  return { username, groups: implied, ...(uid === '' ? {} : { uid }), ...(Object.keys(extra).length > 0 && { extra }) };
}
