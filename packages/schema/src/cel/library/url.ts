import { fail } from '../errors.ts';
import { type CelType, opaqueOf } from '../types/cel-type.ts';
import { EntryMap } from '../values/map.ts';
import { CelOpaque } from '../values/opaque.ts';
import { escapedPath, type GoUrl, hostname, parseQuery, parseRequestUri, port } from './go-url.ts';
import { type Library, overload } from './library.ts';

const urlType: CelType = opaqueOf('kubernetes.URL');

class UrlValue extends CelOpaque {
  readonly type: CelType = urlType;
  readonly url: GoUrl;

  constructor(url: GoUrl) {
    super();
    this.url = url;
  }

  equals(other: unknown): boolean {
    return other instanceof UrlValue && other.url.text === this.url.text;
  }
}

/** URLs: `url('https://example.com:80/path').getHost()`. */
export const urlsLibrary: Library = {
  name: 'kubernetes.urls',
  types: [['kubernetes.URL', urlType]],
  overloads: [
    overload<[string]>('url(string) kubernetes.URL', (_, text) => {
      const url = parseRequestUri(text);
      return typeof url === 'string'
        ? fail(`URL parse error during conversion from string: ${url}`)
        : new UrlValue(url);
    }),
    overload<[string]>('isURL(string) bool', (_, text) => typeof parseRequestUri(text) !== 'string'),
    overload<[UrlValue]>('kubernetes.URL.getScheme() string', (_, { url }) => url.scheme),
    overload<[UrlValue]>('kubernetes.URL.getHost() string', (_, { url }) => url.host),
    overload<[UrlValue]>('kubernetes.URL.getHostname() string', (_, { url }) => hostname(url.host)),
    overload<[UrlValue]>('kubernetes.URL.getPort() string', (_, { url }) => port(url.host)),
    overload<[UrlValue]>('kubernetes.URL.getEscapedPath() string', (_, { url }) => escapedPath(url.rawPath)),
    overload<[UrlValue]>(
      'kubernetes.URL.getQuery() map(string, list(string))',
      (_, { url }) => new EntryMap(parseQuery(url.rawQuery)),
    ),
  ],
};
