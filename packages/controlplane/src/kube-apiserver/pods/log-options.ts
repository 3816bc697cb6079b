import { badRequest, type FieldError, forbiddenField, invalid, invalidField } from '@kubewright/apimachinery';
import type { LogOptions } from './node-connector.ts';

/** The options of a log request, as given in the query. */
export type LogQuery = Omit<LogOptions, 'signal' | 'container'> & { readonly container: string };

/**
 * Parses the query of `pods/log` (core/v1 `PodLogOptions`).
 *
 * @throws StatusError 400 for a malformed number or boolean, 422 for an invalid value.
 */
export function readLogOptions(query: URLSearchParams, podName: string): LogQuery {
  const options: LogQuery = {
    container: query.get('container') ?? '',
    follow: flag(query, 'follow'),
    previous: flag(query, 'previous'),
    timestamps: flag(query, 'timestamps'),
    sinceSeconds: integer(query, 'sinceSeconds'),
    sinceTime: query.get('sinceTime') ?? undefined,
    tailLines: integer(query, 'tailLines'),
    limitBytes: integer(query, 'limitBytes'),
  };
  const faults = faultsOf(options);
  if (faults.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, podName, faults);
  return options;
}

function faultsOf({ sinceSeconds, sinceTime, tailLines, limitBytes }: LogQuery): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0) {
    faults.push(invalidField('tailLines', tailLines, 'must be greater than or equal to 0'));
  }
  if (limitBytes !== undefined && limitBytes < 1) {
    faults.push(invalidField('limitBytes', limitBytes, 'must be greater than 0'));
  }
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    faults.push(forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    faults.push(invalidField('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  }
  if (sinceTime !== undefined && Number.isNaN(Date.parse(sinceTime))) {
    throw badRequest(`parsing time ${JSON.stringify(sinceTime)}: must be RFC 3339, such as 2026-01-02T03:04:05Z`);
  }
  return faults;
}

/** Parses a boolean as Go's query conversion does: anything but `false` and `0` is true. */
export function flag(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  return text !== null && text !== '' && !['false', '0', 'FALSE', 'False', 'f', 'F'].includes(text);
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const number = Number(text);
  if (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}
