import { oneLine } from '@kubewright/apimachinery/internal';
import type { LogEventId } from '@kubewright/runtime';

/** A line of the runtime's JSON log. */
export interface LogRecord {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly ts: string;
  readonly msg: string;
  /** The stable id of the record; programs match on it, never on the message. */
  readonly event?: LogEventId;
  readonly [field: string]: unknown;
}

const levels: readonly unknown[] = ['debug', 'info', 'warn', 'error'];

/** Parses a line of an operator's output; undefined if it is not a line of the runtime's log. */
export function parseLogRecord(line: string): LogRecord | undefined {
  if (!line.startsWith('{"level":')) return undefined;
  try {
    const record = JSON.parse(line) as Partial<LogRecord>;
    const isRecord = levels.includes(record.level) && typeof record.ts === 'string' && typeof record.msg === 'string';
    return isRecord ? (record as LogRecord) : undefined;
  } catch {
    // Not JSON: other output that looks like a log record.
    return undefined;
  }
}

/** Returns the text of a field; empty if it is not a string. */
export function textOf(record: LogRecord, field: string): string {
  const value = record[field];
  return typeof value === 'string' ? value : '';
}

/** Returns the strings of a list field. */
export function textsOf(record: LogRecord, field: string): readonly string[] {
  const value = record[field];
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}

/** A write, as a reconcile's log record lists it. */
export interface WriteRecord {
  readonly action: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly subresource?: string;
}

/** Returns the writes that a reconcile reports. */
export function writesOf({ wrote }: LogRecord): readonly WriteRecord[] {
  return Array.isArray(wrote) ? wrote.filter((each): each is WriteRecord => typeof each?.kind === 'string') : [];
}

/** Returns the object of a record, prefixed with its kind or with the component that logged it. */
export function subjectOf(record: LogRecord): string {
  const [namespace, name] = [textOf(record, 'namespace'), textOf(record, 'name')];
  const object = name === '' ? '' : namespace === '' ? name : `${namespace}/${name}`;
  const who =
    textOf(record, 'controllerKind') ||
    textOf(record, 'webhookKind') ||
    textOf(record, 'controller') ||
    textOf(record, 'logger');
  return oneLine([who, object].filter((part) => part !== '').join(' '));
}

/** Formats a duration for display. */
export function spanOf(ms: number): string {
  if (ms < 1_000) return `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;
  if (ms < 60_000) return `${Math.round(ms / 100) / 10} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 6_000) / 10} min`;
  return `${Math.round(ms / 360_000) / 10} h`;
}
