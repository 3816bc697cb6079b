import { oneLine } from '@kubewright/apimachinery/internal';
import type { LogDestination } from './json-logger.ts';
import { LineLogger, type LogLine } from './line-logger.ts';
import { logEvents } from './log-events.ts';
import type { Logger, LogLevel } from './logger.ts';
import { errorNameOf, framesForPeople } from './stack-frames.ts';

/** Options for {@link prettyLogger}. */
export interface PrettyLoggerOptions {
  /** @defaultValue 'info' */
  readonly level?: LogLevel;
  readonly destination: LogDestination;
  /** Current wall clock, in milliseconds. */
  readonly now: () => number;
  /** True if the destination supports colors. @defaultValue false */
  readonly colors?: boolean;
}

const codes: Readonly<Record<LogLevel, string>> = {
  debug: '\u001b[90m',
  info: '\u001b[36m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
};
const dim = '\u001b[2m';
const reset = '\u001b[0m';
/** Fields that the line shows elsewhere, or that readers do not need. */
const hidden: ReadonlySet<string> = new Set([
  'namespace',
  'name',
  'reconcileID',
  'controllerGroup',
  'controllerKind',
  'controller',
  'stacktrace',
  'error',
]);
/** Fields that repeat parts of the error message; the line already shows the whole message. */
const partsOfError: ReadonlySet<string> = new Set(['what', 'why', 'remedy']);
const eventIds: ReadonlySet<unknown> = new Set(Object.values(logEvents));

/**
 * Writes human-readable lines: time, level, controller, object, message, remaining fields.
 *
 * @example
 * ```ts
 * const log = prettyLogger({ destination: process.stderr, now: Date.now });
 * ```
 */
export function prettyLogger(options: PrettyLoggerOptions): Logger {
  const { level = 'info', destination, now, colors = false } = options;
  const paint = (code: string, text: string): string => (colors ? `${code}${text}${reset}` : text);
  return new LineLogger({
    level,
    isForPeople: true,
    write: (line) => void destination.write(format(line, { now: now(), paint })),
  });
}

interface Form {
  readonly now: number;
  readonly paint: (code: string, text: string) => string;
}

function format({ level, name, message, fields }: LogLine, { now, paint }: Form): string {
  const parts = [
    paint(dim, new Date(now).toISOString().slice(11, 23)),
    paint(codes[level], level.toUpperCase().padEnd(5)),
    String(fields['controller'] ?? name),
    subjectOf(fields),
    oneLine(message),
  ];
  const stacktrace = typeof fields['stacktrace'] === 'string' ? fields['stacktrace'] : '';
  const error = fields['error'] === undefined ? '' : `: ${oneLine(errorText(String(fields['error']), stacktrace))}`;
  const rest = restOf(fields);
  const line = parts.filter((part) => part !== '').join(' ') + error + (rest === '' ? '' : ` ${paint(dim, rest)}`);
  const frames = level === 'error' ? framesForPeople(stacktrace) : [];
  return `${[line, ...frames.map((frame) => paint(dim, oneLine(frame)))].join('\n')}\n`;
}

/** Prefixes the message with the name of the error's class, unless the message already starts with it. */
function errorText(message: string, stacktrace: string): string {
  const name = errorNameOf(stacktrace);
  return name === undefined || message.startsWith(name) ? message : `${name}: ${message}`;
}

function subjectOf(fields: Readonly<Record<string, unknown>>): string {
  const { namespace, name } = fields;
  if (typeof name !== 'string' || name === '') return '';
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}/${name}` : name;
}

function restOf(fields: Readonly<Record<string, unknown>>): string {
  const kind = fields['controllerKind'];
  const isShown = (key: string, value: unknown): boolean => {
    if (hidden.has(key) || key === kind || value === undefined) return false;
    if (key === 'event') return !eventIds.has(value);
    return fields['error'] === undefined || !partsOfError.has(key);
  };
  return Object.entries(fields)
    .filter(([key, value]) => isShown(key, value))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? oneLine(value) : JSON.stringify(value)}`)
    .join(' ');
}
