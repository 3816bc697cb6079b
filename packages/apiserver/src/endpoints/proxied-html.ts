import type { IncomingHttpHeaders } from 'node:http';
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

/** Reports whether the links of a response can be rewritten: an HTML page in UTF-8 with a known compression. */
export function hasRewritableLinks(headers: IncomingHttpHeaders): boolean {
  const [type, ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.find((each) => each.trim().startsWith('charset='))?.split('=', 2)[1];
  const isUtf8 = charset === undefined || /^["']?utf-?8["']?$/.test(charset.trim());
  return type?.trim() === 'text/html' && isUtf8 && ['', 'gzip', 'deflate'].includes(headers['content-encoding'] ?? '');
}

/**
 * Rewrites the links of an HTML page as it arrives. Mirrors `Transport` of k8s.io/apimachinery (1.36).
 *
 * @param options - `encoding`: the page's `Content-Encoding`, which the result has, too
 */
export async function rewriteLinks(
  page: Readable,
  options: { readonly encoding: string; readonly rewrite: (link: string) => string },
): Promise<Readable> {
  const links = await linkRewriter(options.rewrite);
  if (options.encoding === '') return connected(page.setEncoding('utf8'), links, new PassThrough());
  const { createDeflateRaw, createGunzip, createGzip, createInflateRaw } = await import('node:zlib');
  const [unpack, pack] =
    options.encoding === 'gzip' ? [createGunzip(), createGzip()] : [createInflateRaw(), createDeflateRaw()];
  return connected(page, unpack.setEncoding('utf8'), links, pack);
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
    let isChanged = false;
    for (const attribute of tag.attrs) {
      if (!names.includes(attribute.name)) continue;
      const link = rewrite(attribute.value);
      isChanged ||= link !== attribute.value;
      attribute.value = link;
    }
    if (isChanged) html.emitStartTag(tag);
    else html.emitRaw(source);
  });
  return html;
}
