import { badRequest, FieldSelector, FieldSelectorError } from '@kubewright/apimachinery';

/**
 * The verb, resource and object that a request's method and URL identify. The resource need not exist. Mirrors
 * `RequestInfoFactory` of k8s.io/apiserver (1.36), with the deprecated prefix `/watch/` and without `/proxy/`.
 */
export interface RequestInfo {
  /** False for discovery, health and everything else outside `/api/v1/…` and `/apis/<group>/<version>/…`. */
  readonly isResource: boolean;
  /** The decoded path, without the query. */
  readonly path: string;
  /** get, list, watch, create, update, patch, delete, deletecollection; the lower-case method outside resources. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** Empty for cluster-scoped requests; for requests for a Namespace object, its name. */
  readonly namespace: string;
  /** True if the path places the resource inside a namespace: `…/namespaces/<namespace>/<resource>…`. */
  readonly inNamespace: boolean;
  readonly resource: string;
  readonly subresource: string;
  /** Also set by the field selector `metadata.name=…` of a list or watch. */
  readonly name: string;
  /** The object's name in the path; empty for collections, regardless of selectors. */
  readonly pathName: string;
  /** The segments after the subresource: the path behind a proxy. */
  readonly remainder: readonly string[];
  readonly query: URLSearchParams;
}

const emptyQuery = new URLSearchParams();
const namespaceSubresources = new Set(['status', 'finalize']);
const verbs: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/**
 * Parses method and URL.
 *
 * @param target - path and query, as sent
 * @throws StatusError 400 when the path has invalid percent-escapes
 */
export function parseRequestInfo(method: string, target: string): RequestInfo {
  const mark = target.indexOf('?');
  const path = decodePath(mark < 0 ? target : target.slice(0, mark));
  const query = mark < 0 ? emptyQuery : new URLSearchParams(target.slice(mark + 1));
  const parts = splitPath(path);
  const grouped = parts[0] === 'apis';
  if ((parts[0] !== 'api' && !grouped) || parts.length < (grouped ? 4 : 3))
    return outsideResources(method, path, query);
  const [group = '', version = ''] = grouped ? parts.slice(1, 3) : ['', parts[1]];
  return resourceInfo({ method, path, query, group, version, rest: parts.slice(grouped ? 3 : 2) });
}

interface ResourceParts {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly group: string;
  readonly version: string;
  readonly rest: readonly string[];
}

function resourceInfo({ method, path, query, group, version, rest }: ResourceParts): RequestInfo {
  let namespace = '';
  let inNamespace = false;
  const isWatch = rest[0] === 'watch' && rest.length > 1;
  let parts = isWatch ? rest.slice(1) : rest;
  if (parts[0] === 'namespaces' && parts.length > 1) {
    namespace = parts[1] ?? '';
    inNamespace = parts.length > 2 && !namespaceSubresources.has(parts[2] ?? '');
    if (inNamespace) parts = parts.slice(2);
  }
  const [resource = '', pathName = '', subresource = ''] = parts;
  let verb = isWatch ? 'watch' : (verbs.get(method) ?? '');
  let name = pathName;
  if (isWatch) {
    name ||= selectedName(query.get('fieldSelector'));
  } else if (name === '' && verb === 'get') {
    verb = isTrue(query.get('watch')) ? 'watch' : 'list';
    name = selectedName(query.get('fieldSelector'));
  } else if (name === '' && verb === 'delete') {
    verb = 'deletecollection';
  }
  const remainder = parts.length > 3 ? parts.slice(3) : [];
  return {
    isResource: true,
    path,
    verb,
    group,
    version,
    namespace,
    inNamespace,
    resource,
    subresource,
    name,
    pathName,
    remainder,
    query,
  };
}

function outsideResources(method: string, path: string, query: URLSearchParams): RequestInfo {
  const none = { group: '', version: '', namespace: '', resource: '', subresource: '', name: '', pathName: '' };
  return { isResource: false, path, verb: method.toLowerCase(), ...none, inNamespace: false, remainder: [], query };
}

/**
 * Parses a boolean query parameter. As in upstream, any value is true except `0` and `false` (in any case), even an
 * empty value and `f`.
 */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch (cause) {
    throw badRequest('the request path has an invalid percent-escape', { cause });
  }
}

function splitPath(path: string): readonly string[] {
  let from = 0;
  let to = path.length;
  while (path.charCodeAt(from) === 47) from++;
  while (to > from && path.charCodeAt(to - 1) === 47) to--;
  return from === to ? [] : path.slice(from, to).split('/');
}

/**
 * Returns the only name that a selector matches, or an empty string. A client may be authorized for that object alone, so the
 * selector must be parsed exactly as it is applied later: a comma may be part of a value.
 */
function selectedName(selector: string | null): string {
  if (selector === null || !selector.includes('metadata.name')) return '';
  try {
    const name = FieldSelector.parse(selector).exactValue('metadata.name') ?? '';
    return /^\.\.?$|[/%]/.test(name) ? '' : name;
  } catch (error) {
    if (error instanceof FieldSelectorError) return ''; // rejected later, when the selector is applied
    throw error;
  }
}
