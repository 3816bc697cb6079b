import { apiVersionOf, type KindDescriptor } from '@kubewright/apimachinery';
import { RequestError } from '../call/request-error.ts';
import type { SelectorInput } from './call-options.ts';

/** Query parameters. Undefined parameters are omitted; a list repeats the parameter. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Builds the path of a collection, an object, or a subresource. */
export function resourcePath(
  kind: KindDescriptor,
  at: { readonly namespace?: string | undefined; readonly name?: string; readonly subresource?: string } = {},
): string {
  let path = kind.group === '' ? `/api/${kind.version}` : `/apis/${apiVersionOf(kind)}`;
  if (kind.scope === 'Namespaced' && at.namespace !== undefined && at.namespace !== '') {
    path += `/namespaces/${segment(at.namespace, 'namespace')}`;
  }
  path += `/${kind.plural}`;
  if (at.name !== undefined) path += `/${segment(at.name, `${kind.kind} name`)}`;
  // A proxy subresource includes a path on the target, so its slashes are not escaped.
  if (at.subresource !== undefined) path += `/${at.subresource}`;
  return path;
}

/** Appends a query to a path. */
export function withQuery(path: string, query: Query): string {
  let text = '';
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(String(one))}`;
    }
  }
  return path + text;
}

/** Formats a selector in the API's syntax. */
export function selectorText(selector: SelectorInput | undefined): string | undefined {
  if (selector === undefined || typeof selector === 'string') return selector || undefined;
  const text = Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  return text || undefined;
}

/**
 * Rejects names that the server would misread: an empty name would address the collection, and a name with a slash
 * another resource.
 */
function segment(text: string, what: string): string {
  if (text === '' || text === '.' || text === '..' || /[/%]/.test(text)) {
    throw new RequestError({
      what: `invalid ${what} ${JSON.stringify(text)}`,
      why: 'a name must not be empty, "." or "..", and must not contain "/" or "%"',
    });
  }
  return encodeURIComponent(text).replaceAll('%3A', ':');
}
