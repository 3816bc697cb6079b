import type { ClientCall } from '@kubewright/client';

/** The methods for which the server compares the UID in a request; for others it is just a value. */
const comparing: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE']);

/** True for a write that carries the UID of its object: the server rejects it for another object of the same name. */
export function isBoundTo({ request: { method, body } }: ClientCall, uid: string | undefined): boolean {
  if (uid === undefined || body === undefined || !comparing.has(method)) return false;
  const sent: unknown = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
  if (Array.isArray(sent)) return sent.some((operation) => testsUid(operation, uid));
  return (method === 'DELETE' ? uidIn(sent, 'preconditions') : uidIn(sent, 'metadata')) === uid;
}

/** True for a JSON patch operation that tests the UID; the whole patch fails if a test does. */
function testsUid(operation: unknown, uid: string): boolean {
  if (!isObject(operation)) return false;
  return operation['op'] === 'test' && operation['path'] === '/metadata/uid' && operation['value'] === uid;
}

function uidIn(sent: unknown, member: 'metadata' | 'preconditions'): unknown {
  const part = isObject(sent) ? sent[member] : undefined;
  return isObject(part) ? part['uid'] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
