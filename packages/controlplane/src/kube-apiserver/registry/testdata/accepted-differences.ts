/** A response of this server that intentionally differs from upstream's. */
export interface Difference {
  readonly status: number;
  readonly why: string;
}

/** The complete list of recorded requests whose responses intentionally differ. */
export function accepted(method: string, path: string, body: unknown): Difference | undefined {
  const text = JSON.stringify(body ?? '');
  if (method === 'POST' && text.includes('bogus') && text.includes('\\"a\\":\\"c')) {
    return { status: 400, why: 'duplicate fields are named before unknown ones, whatever their order in the body' };
  }
  if (method === 'DELETE' && path.endsWith('/widgets')) {
    return { status: 200, why: 'upstream lists in pages and answers with the first page and its continue token' };
  }
  if (method === 'PATCH' && text.includes('bogus') && path.includes('fieldManager=x')) {
    return { status: 500, why: "the message shows the stored object's namespace where the configuration has none" };
  }
  return undefined;
}
