/** What every long-running path contains; most paths are told by this alone. */
const PERHAPS = /[?&]watch=|\/(?:watch|log|exec|attach|portforward|proxy)(?:[/?]|$)/;
const STREAMING_SUBRESOURCES = new Set(['log', 'exec', 'attach', 'portforward', 'proxy']);

/**
 * True for requests that have no deadline: watches, logs, and what turns into a stream. Mirrors the verbs and
 * subresources that kube-apiserver exempts (1.36).
 */
export function isLongRunning(path: string): boolean {
  if (!PERHAPS.test(path)) return false;
  const mark = path.indexOf('?');
  const plain = mark < 0 ? path : path.slice(0, mark);
  if (mark >= 0 && /[?&]watch=(?:true|1|t|T|TRUE|True)(?:&|$)/.test(path.slice(mark))) return true;
  const segments = plain.split('/');
  // /api/v1/<rest>, /apis/<group>/<version>/<rest>
  const rest = segments.slice(segments[1] === 'api' ? 3 : 4);
  if (rest[0] === 'watch') return true;
  const named = rest[0] === 'namespaces' ? rest.slice(2) : rest;
  return STREAMING_SUBRESOURCES.has(named[2] ?? '');
}
