import { type LogRecord, textOf, textsOf } from './log-record.ts';

/** A summary of a webhook's response. */
export interface Admission {
  readonly text: string;
  readonly isRejection: boolean;
}

/** Summarizes a webhook's response from its log record. */
export function admissionOf(record: LogRecord): Admission {
  const operation = textOf(record, 'operation').toLowerCase();
  const isRejection = record['allowed'] !== true;
  const before = operation === '' ? '' : `${operation}: `;
  return { text: `${before}${isRejection ? rejectionOf(record) : acceptanceOf(record)}`, isRejection };
}

function acceptanceOf(record: LogRecord): string {
  if (textOf(record, 'webhook') !== 'mutating') return 'admitted';
  const changed = textsOf(record, 'changed');
  return changed.length === 0 ? 'no defaults needed' : `defaulted ${changed.join(', ')}`;
}

function rejectionOf(record: LogRecord): string {
  // The line already begins with the object.
  const message = textOf(record, 'message').replace(/^\S+ "[^"]*" is (?:invalid|forbidden): /, '');
  return `rejected: ${message || textOf(record, 'reason') || 'no reason given'}`;
}
