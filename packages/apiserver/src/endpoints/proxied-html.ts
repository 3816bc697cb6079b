import type { IncomingMessage } from 'node:http';
import { PassThrough, pipeline, type Readable, type Transform } from 'node:stream';

/** Attributes with links, by element: those of `atomsToAttrs` of k8s.io/apimachinery (1.36). */
const linkAttributes: ReadonlyMap<string, readonly string[]> = new Map([
  ['a', ['href']],
  ['applet', ['codebase']],
  ['area', ['href']],
  ['audio', ['src']],
  ['base', ['href']],
  ['blockquote', ['cite']],
  ['body', ['background']],
  ['button', ['formaction']],
  ['command', ['icon']],
  ['del', ['cite']],
  ['embed', ['src']],
  ['form', ['action']],
  ['frame', ['longdesc', 'src']],
  ['head', ['profile']],
  ['html', ['manifest']],
  ['iframe', ['longdesc', 'src']],
  ['img', ['longdesc', 'src', 'usemap']],
  ['input', ['src', 'usemap', 'formaction']],
  ['ins', ['cite']],
  ['link', ['href']],
  ['object', ['classid', 'codebase', 'data', 'usemap']],
  ['q', ['cite']],
  ['script', ['src']],
  ['source', ['src']],
  ['video', ['poster', 'src']],
]);

/** Reports whether the links of a response can be rewritten: an HTML page with a known compression. */
export function hasRewritableLinks({ statusCode, headers }: IncomingMessage): boolean {
  const isPage = /^\s*text\/html\s*(?:;|$)/i.test(headers['content-type'] ?? '');
  const hasBody = statusCode !== 204 && statusCode !== 304 && headers['content-length'] !== '0';
  return isPage && hasBody && ['', 'gzip', 'deflate'].includes(headers['content-encoding'] ?? '');
}

/**
 * Rewrites the links of an HTML page as it arrives. All other bytes stay the same, in any encoding that contains ASCII.
 * Mirrors `Transport` of k8s.io/apimachinery (1.36).
 *
 * @param options - `encoding`: the page's `Content-Encoding`, which the result has, too
 */
export async function rewriteLinks(
  page: Readable,
  options: { readonly encoding: string; readonly rewrite: (link: string) => string },
): Promise<Readable> {
  const links = await linkRewriter(options.rewrite);
  const bytes = new PassThrough();
  bytes.setDefaultEncoding('latin1');
  if (options.encoding === '') return connected(page.setEncoding('latin1'), links, bytes);
  const { createDeflateRaw, createGunzip, createGzip, createInflateRaw } = await import('node:zlib');
  const [unpack, pack] =
    options.encoding === 'gzip' ? [createGunzip(), createGzip()] : [createInflateRaw(), createDeflateRaw()];
  return connected(page, unpack.setEncoding('latin1'), links, bytes, pack);
}

/** Connects streams. The last one, which it returns, fails if any of them fails; if it is destroyed, the others are, too. */
function connected<T extends Transform>(page: Readable, ...steps: readonly [...Transform[], T]): T {
  pipeline([page, ...steps], () => {});
  return steps.at(-1) as T;
}

/** Returns a stream that rewrites the links of a page. Loads the parser only when a page is proxied. */
async function linkRewriter(rewrite: (link: string) => string): Promise<Transform> {
  const { RewritingStream } = await import('parse5-html-rewriting-stream');
  const html = new RewritingStream();
  html.on('startTag', (tag, source) => {
    const names = linkAttributes.get(tag.tagName) ?? [];
    const location = tag.sourceCodeLocation;
    if (!location || !('attrs' in location) || !location.attrs) return html.emitRaw(source);
    const { startOffset } = location;
    const places = new Map(Object.entries(location.attrs));
    let text = source;
    // From the last one, so that the positions of the others stay valid.
    for (const { name, value } of tag.attrs.toReversed()) {
      const place = places.get(name);
      const link = rewrite(value);
      if (place === undefined || !names.includes(name) || link === value) continue;
      const [from, to] = [place.startOffset - startOffset, place.endOffset - startOffset];
      text = text.slice(0, from) + withLink(text.slice(from, to), { value, link }) + text.slice(to);
    }
    html.emitRaw(text);
  });
  return html;
}

/** Replaces the link of an attribute. Keeps the text that the page has, in its own encoding, where a prefix is enough. */
function withLink(attribute: string, { value, link }: { readonly value: string; readonly link: string }): string {
  const [start = ''] = /^[^=]*=\s*["']?/.exec(attribute) ?? [];
  if (link.endsWith(value)) return start + link.slice(0, -value.length) + attribute.slice(start.length);
  const escaped = link.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `${attribute.slice(0, attribute.indexOf('='))}="${escaped}"`;
}
