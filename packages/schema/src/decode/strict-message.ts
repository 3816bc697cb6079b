import type { ParsedBody } from '../json/index.ts';

/**
 * Joins what a strict request refuses into the API server's sentence, or `undefined` if there is nothing to refuse:
 * `strict decoding error: duplicate field "spec.replicas", unknown field "spec.bogus"`. The caller answers 400 with
 * `Deployment in version "v1" cannot be handled as a Deployment: ` before it.
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
