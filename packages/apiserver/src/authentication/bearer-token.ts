import type { ApiRequest } from '../http/api-request.ts';

/** Returns the token of an `Authorization: Bearer …` header, or undefined. */
export function bearerToken(request: ApiRequest): string | undefined {
  const header = request.headers['authorization'];
  if (header === undefined) return undefined;
  const match = /^bearer +(\S+) *$/i.exec(header);
  return match?.[1];
}
