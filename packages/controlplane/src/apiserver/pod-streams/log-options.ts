import { type FieldError, forbiddenField, invalid, invalidField } from '@kubewright/apimachinery';
import type { LogOptions } from '../node-connector.ts';

/** Options of a log request as its query says them; the container is chosen elsewhere. */
export type LogQuery = Omit<LogOptions, 'container' | 'signal'>;

/**
 * Reads core/v1 `PodLogOptions` from a query.
 *
 * @throws StatusError 422 for what upstream's `ValidatePodLogOptions` (1.36) refuses.
 */
export function readLogOptions(query: URLSearchParams, name: string): LogQuery {
  const flag = (key: string): boolean => /^(|1|t|true)$/i.test(query.get(key) ?? 'no');
  const number = (key: string): number | undefined => {
    const text = query.get(key);
    return text === null || text === '' ? undefined : Number(text);
  };
  const options: LogQuery = {
    follow: flag('follow'),
    previous: flag('previous'),
    timestamps: flag('timestamps'),
    tailLines: number('tailLines'),
    limitBytes: number('limitBytes'),
    sinceSeconds: number('sinceSeconds'),
    sinceTime: query.get('sinceTime') ?? undefined,
  };
  const faults = validate(options);
  if (faults.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, name, faults);
  return options;
}

function validate({ tailLines, limitBytes, sinceSeconds, sinceTime }: LogQuery): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (tailLines !== undefined && !(Number.isInteger(tailLines) && tailLines >= 0)) {
    faults.push(invalidField('tailLines', tailLines, 'must be greater than or equal to 0'));
  }
  if (limitBytes !== undefined && !(Number.isInteger(limitBytes) && limitBytes >= 1)) {
    faults.push(invalidField('limitBytes', limitBytes, 'must be greater than 0'));
  }
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    faults.push(forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && !(Number.isInteger(sinceSeconds) && sinceSeconds >= 1)) {
    faults.push(invalidField('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  }
  if (sinceTime !== undefined && Number.isNaN(Date.parse(sinceTime))) {
    faults.push(invalidField('sinceTime', sinceTime, 'must be a time as in RFC 3339'));
  }
  return faults;
}
