import type { Credential } from './credential.ts';

interface Key {
  readonly pattern: string;
  readonly credential: Credential;
}

/** The key that holds the credentials for Docker Hub, for historical reasons. */
const dockerHub = 'index.docker.io';

/**
 * Credentials for repositories. A key is a registry, optionally with the start of a path, and `*` matches within a part of the
 * host: `*.example.com`, `registry.example:5000/team`. Mirrors the kubelet's `credentialprovider.BasicDockerKeyring` (1.36).
 */
export class Keyring {
  readonly #keys: readonly Key[];

  constructor(credentials: Iterable<readonly [registry: string, credential: Credential]>) {
    this.#keys = [...credentials]
      .map(([registry, credential]) => ({ pattern: patternOf(registry), credential }))
      .sort((a, b) => (a.pattern === b.pattern ? 0 : a.pattern < b.pattern ? 1 : -1));
  }

  /** Returns the credentials for a repository such as `docker.io/library/busybox`, the most specific first. */
  find(repository: string): readonly Credential[] {
    const found = this.#keys.filter(({ pattern }) => isMatch(pattern, repository));
    const isDockerHub = repository.startsWith('docker.io/');
    if (found.length > 0 || !isDockerHub) return found.map(({ credential }) => credential);
    return this.#keys.filter(({ pattern }) => pattern === dockerHub).map(({ credential }) => credential);
  }
}

/** `https://index.docker.io/v1/` → `index.docker.io` */
function patternOf(registry: string): string {
  const [host = '', ...path] = registry.replace(/^https?:\/\//, '').split('/');
  const rest = (path[0] === 'v1' || path[0] === 'v2' ? path.slice(1) : path).join('/');
  return rest === '' ? host : `${host}/${rest}`;
}

function isMatch(pattern: string, repository: string): boolean {
  const [patternHost = '', patternPath] = split(pattern);
  const [host = '', path = ''] = split(repository);
  const [patternName = '', patternPort] = patternHost.split(/:(?=\d+$)/);
  const [name = '', port] = host.split(/:(?=\d+$)/);
  if (patternPort !== port || (patternPath !== undefined && !path.startsWith(patternPath))) return false;
  const wanted = patternName.split('.');
  const parts = name.split('.');
  return wanted.length === parts.length && wanted.every((part, index) => isGlobMatch(part, parts[index] ?? ''));
}

function split(text: string): readonly (string | undefined)[] {
  const slash = text.indexOf('/');
  return slash < 0 ? [text] : [text.slice(0, slash), text.slice(slash + 1)];
}

/** Matches `*` and `?` without backtracking over more than one `*`, since patterns come from users. */
function isGlobMatch(pattern: string, text: string): boolean {
  let inPattern = 0;
  let retry: { pattern: number; text: number } | undefined;
  for (let inText = 0; inText < text.length; ) {
    if (pattern[inPattern] === '*') {
      inPattern += 1;
      retry = { pattern: inPattern, text: inText };
    } else if (pattern[inPattern] === '?' || pattern[inPattern] === text[inText]) {
      inPattern += 1;
      inText += 1;
    } else if (retry) {
      retry.text += 1;
      inPattern = retry.pattern;
      inText = retry.text;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(inPattern));
}
