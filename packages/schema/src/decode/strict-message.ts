import type { ParsedBody } from '../json/parsed-body.ts';

/**
 * Joins duplicate and unknown fields into the API server's message for strict validation:
 * `strict decoding error: duplicate field "spec.replicas", unknown field "spec.bogus"`. Returns `undefined` if all fields
 * are valid. The caller prepends `Deployment in version "v1" cannot be handled as a Deployment: ` and responds with 400.
 */
export function strictDecodingMessage(
  body: Pick<ParsedBody, 'duplicates' | 'format'>,
  unknownFields: readonly string[],
): string | undefined {
  if (body.duplicates.length === 0 && unknownFields.length === 0) return undefined;
  const duplicates =
    body.format === 'yaml' && body.duplicates.length > 0
      ? [`yaml: unmarshal errors:${body.duplicates.map((line) => `\n  ${line}`).join('')}`]
      : body.duplicates;
  return `strict decoding error: ${[...duplicates, ...unknownFields].join(', ')}`;
}
