import { badRequest } from '@kubewright/apimachinery';

/**
 * The position where a list continues: a key and a revision. Revision -1 means the newest revision, which may be
 * inconsistent with earlier pages.
 */
export interface ContinueToken {
  readonly revision: number;
  /** The last key already listed, relative to the list's prefix. */
  readonly after: string;
}

const apiVersion = 'meta.k8s.io/v1';

/**
 * Encodes a token as upstream does (1.36): base64url-encoded JSON whose start key directly follows the last key listed. The key
 * starts with a slash unless the kind has no watch cache (`uncached`).
 */
export function encodeContinue(
  { revision, after }: ContinueToken,
  { uncached = false }: { readonly uncached?: boolean } = {},
): string {
  const start = `${uncached ? '' : '/'}${after}\u0000`;
  return Buffer.from(JSON.stringify({ v: apiVersion, rv: revision, start })).toString('base64url');
}

/**
 * Decodes a token.
 *
 * @throws StatusError 400 if the token is malformed
 */
export function decodeContinue(text: string): ContinueToken {
  const wrong = illegalByte(text);
  if (wrong !== undefined) throw invalid(`illegal base64 data at input byte ${wrong}`);
  let token: { readonly v?: unknown; readonly rv?: unknown; readonly start?: unknown };
  try {
    token = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as typeof token;
  } catch (cause) {
    throw invalid('unexpected data', cause);
  }
  if (typeof token !== 'object' || token === null) throw invalid('unexpected data');
  const { v, rv, start } = token;
  if (v !== apiVersion) throw invalid(`server does not recognize this encoded version ${String(v ?? '')}`);
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0 || typeof start !== 'string' || start === '') {
    throw invalid('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  }
  const after = start.replace(/^\//, '').split('\u0000', 1)[0] ?? '';
  if (after.split('/').includes('..')) throw invalid(`invalid start key ${JSON.stringify(start)}`);
  return { revision: rv, after };
}

/** Returns the index of the first byte that Go's decoder for unpadded base64url rejects, or undefined if it accepts the text. */
function illegalByte(text: string): number | undefined {
  const wrong = text.search(/[^\w-]/);
  if (wrong >= 0) return wrong;
  return text.length % 4 === 1 ? text.length - 1 : undefined;
}

function invalid(detail: string, cause?: unknown): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${detail}`, { cause });
}
