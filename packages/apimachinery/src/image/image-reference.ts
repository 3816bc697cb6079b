import { KubewrightError } from '../errors/kubewright-error.ts';
import { defined } from '../json/defined.ts';

/** A parsed and complete image reference: `docker.io` and `library/` are filled in. */
export interface ImageReference {
  /** Registry: `docker.io`, `localhost:5000`. */
  readonly domain: string;
  /** Repository within the registry: `library/busybox`, `team/app`. */
  readonly path: string;
  /** Absent if the reference has no tag. If there is no digest either, container runtimes use `latest`. */
  readonly tag?: string;
  /** `sha256:…` */
  readonly digest?: string;
}

/** Thrown for text that is not an image reference. The message matches that of container runtimes. */
export class ImageReferenceError extends KubewrightError {
  override readonly name = 'ImageReferenceError';
  readonly code = 'KW1060';
}

const defaultDomain = 'docker.io';
/** Maximum length of a repository, in characters. */
const longestPath = 255;

const domainPattern =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(?::\d+)?$/;
const pathPattern = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;
const tagPattern = /^\w[\w.-]{0,127}$/;
const digestPattern = /^([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*):([0-9a-fA-F]{32,})$/;
const digestLengths: ReadonlyMap<string, number> = new Map([
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
]);

/**
 * Parses an image reference as container runtimes do (`[domain/]path[:tag][@digest]`). Mirrors `ParseNormalizedNamed` of
 * distribution/reference 0.6, which the kubelet uses.
 *
 * @example
 * ```ts
 * parseImageReference('busybox:1.36'); // { domain: 'docker.io', path: 'library/busybox', tag: '1.36' }
 * ```
 * @throws ImageReferenceError with upstream's message.
 */
export function parseImageReference(text: string): ImageReference {
  if (/^[a-f0-9]{64}$/.test(text)) {
    throw new ImageReferenceError({
      what: `invalid repository name (${text}), cannot specify 64-byte hexadecimal strings`,
    });
  }
  const { domain, rest } = splitDomain(text);
  const [name = ''] = rest.split(':', 1);
  if (name.toLowerCase() !== name) {
    throw new ImageReferenceError({ what: `invalid reference format: repository name (${name}) must be lowercase` });
  }
  const parts = partsOf(domain, rest);
  if (parts === undefined) {
    const isValidInLowercase = partsOf(domain.toLowerCase(), rest.toLowerCase()) !== undefined;
    throw new ImageReferenceError({
      what: isValidInLowercase ? 'repository name must be lowercase' : 'invalid reference format',
    });
  }
  if (parts.path.length > longestPath) {
    throw new ImageReferenceError({ what: `repository name must not be more than ${longestPath} characters` });
  }
  if (parts.digest !== undefined) checkDigest(parts.digest);
  return parts;
}

/** Splits a well-formed reference into its parts; returns `undefined` for anything else. */
function partsOf(domain: string, rest: string): ImageReference | undefined {
  const [, path = '', tag, digest] = /^([^:@]*)(?::([^:@]*))?(?:@(.*))?$/s.exec(rest) ?? [];
  // Text that is not a valid domain can still be the first part of a path.
  const isDomain = domainPattern.test(domain);
  const whole = { domain: isDomain ? domain : '', path: isDomain ? path : `${domain}/${path}` };
  if (!pathPattern.test(whole.path)) return undefined;
  if (tag !== undefined && !tagPattern.test(tag)) return undefined;
  if (digest !== undefined && !digestPattern.test(digest)) return undefined;
  return { ...whole, ...defined({ tag, digest }) };
}

/** Splits off the registry: the part before the first slash if it has a dot, a port or a capital letter, or is `localhost`. */
function splitDomain(text: string): { readonly domain: string; readonly rest: string } {
  const slash = text.indexOf('/');
  if (slash < 0) return { domain: defaultDomain, rest: `library/${text}` };
  const first = text.slice(0, slash);
  const rest = text.slice(slash + 1);
  if (first === defaultDomain || first === 'index.docker.io') {
    return { domain: defaultDomain, rest: rest.includes('/') ? rest : `library/${rest}` };
  }
  const isDomain = first === 'localhost' || /[.:]/.test(first) || first.toLowerCase() !== first;
  return isDomain ? { domain: first, rest } : { domain: defaultDomain, rest: text };
}

function checkDigest(digest: string): void {
  const [algorithm = '', hex = ''] = digest.split(':');
  const length = digestLengths.get(algorithm);
  if (length === undefined) throw new ImageReferenceError({ what: 'unsupported digest algorithm' });
  if (hex.length !== length) throw new ImageReferenceError({ what: 'invalid checksum digest length' });
  if (/[A-F]/.test(hex)) throw new ImageReferenceError({ what: 'invalid checksum digest format' });
}
