import { FieldSelector, FieldSelectorError, forbidden, type StatusError } from '@kubewright/apimachinery';
import type { UserInfo } from '../authentication/authenticator.ts';
import type { AuthorizationAttributes, Authorizer } from '../authorization/authorizer.ts';
import type { RequestInfo } from '../request-info/index.ts';

/**
 * Authorizes a request, or throws an error that names the user and the denied action.
 *
 * @param annotate - adds the decision to the audit log.
 * @throws StatusError 403 with upstream's message (1.36)
 */
export async function authorizeRequest(
  authorizer: Authorizer,
  { info, user }: { readonly info: RequestInfo; readonly user: UserInfo },
  annotate?: (key: string, value: string) => void,
): Promise<void> {
  const attributes = attributesOf(info, user);
  const { decision, reason } = await authorizer.authorize(attributes);
  annotate?.('authorization.k8s.io/decision', decision === 'allow' ? 'allow' : 'forbid');
  annotate?.('authorization.k8s.io/reason', reason);
  if (decision !== 'allow') throw denied(attributes, reason);
}

function attributesOf(info: RequestInfo, user: UserInfo): AuthorizationAttributes {
  const { verb } = info;
  if (!info.isResource) return { user, verb, path: info.path };
  const { group, version, resource, subresource, namespace, name } = info;
  const fieldSelector = selecting.has(verb) ? readSelector(info.query.get('fieldSelector')) : undefined;
  return { user, verb, resource: { group, version, resource, subresource, namespace, name, fieldSelector } };
}

const selecting: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

function readSelector(text: string | null): FieldSelector | undefined {
  if (!text) return undefined;
  try {
    return FieldSelector.parse(text);
  } catch (error) {
    // An invalid selector restricts nothing; an authorized client gets the error later.
    if (error instanceof FieldSelectorError) return undefined;
    throw error;
  }
}

/** Builds the 403 for a request that no authorizer allows. */
export function denied({ user, verb, resource, path }: AuthorizationAttributes, reason: string): StatusError {
  const who = JSON.stringify(user.username);
  const suffix = reason === '' ? '' : `: ${reason}`;
  if (resource === undefined) {
    return forbidden(
      { group: '', resource: '' },
      '',
      `User ${who} cannot ${verb} path ${JSON.stringify(path ?? '')}${suffix}`,
    );
  }
  const full = resource.subresource === '' ? resource.resource : `${resource.resource}/${resource.subresource}`;
  const place =
    resource.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(resource.namespace)}`;
  const what = `resource ${JSON.stringify(full)} in API group ${JSON.stringify(resource.group)}`;
  return forbidden(resource, resource.name, `User ${who} cannot ${verb} ${what} ${place}${suffix}`);
}
