import type { LogDestination } from './json-logger.ts';
import { printableFields } from './log-record.ts';
import { type LogFields, type Logger, type LogLevel, levelOrder } from './logger.ts';

/** Options of {@link prettyLogger}. */
export interface PrettyLoggerOptions {
  /** @defaultValue 'info' */
  readonly level?: LogLevel;
  readonly destination: LogDestination;
  /** Current wall clock, in milliseconds. */
  readonly now: () => number;
  /** Whether the destination shows colours. @defaultValue false */
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
/** Fields that a person sees elsewhere in the line, or never reads. */
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

/** Writes lines as people read them: time, level, controller, object, message, what is left. */
export function prettyLogger(options: PrettyLoggerOptions): Logger {
  return new PrettyLogger(options, { name: '', fields: {} });
}

interface Bound {
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

class PrettyLogger implements Logger {
  readonly #options: PrettyLoggerOptions;
  readonly #bound: Bound;

  constructor(options: PrettyLoggerOptions, bound: Bound) {
    this.#options = options;
    this.#bound = bound;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields);
  }

  with(fields: LogFields): Logger {
    return new PrettyLogger(this.#options, {
      ...this.#bound,
      fields: { ...this.#bound.fields, ...printableFields(fields) },
    });
  }

  named(name: string): Logger {
    const full = this.#bound.name === '' ? name : `${this.#bound.name}.${name}`;
    return new PrettyLogger(this.#options, { ...this.#bound, name: full });
  }

  #write(level: LogLevel, message: string, own: LogFields | undefined): void {
    const { level: lowest = 'info', destination, now, colors = false } = this.#options;
    if (levelOrder[level] < levelOrder[lowest]) return;
    const fields = { ...this.#bound.fields, ...(own && printableFields(own)) };
    const paint = (code: string, text: string): string => (colors ? `${code}${text}${reset}` : text);
    const time = new Date(now()).toISOString().slice(11, 23);
    const who = String(fields['controller'] ?? this.#bound.name);
    const parts = [
      paint(dim, time),
      paint(codes[level], level.toUpperCase().padEnd(5)),
      who,
      subjectOf(fields),
      oneLine(message),
    ];
    const error = fields['error'] === undefined ? '' : `: ${oneLine(String(fields['error']))}`;
    const rest = restOf(fields);
    const line = parts.filter((part) => part !== '').join(' ') + error + (rest === '' ? '' : ` ${paint(dim, rest)}`);
    const stack = level === 'error' && typeof fields['stacktrace'] === 'string' ? `\n${fields['stacktrace']}` : '';
    destination.write(`${line}${stack}\n`);
  }
}

function subjectOf(fields: Readonly<Record<string, unknown>>): string {
  const { namespace, name } = fields;
  if (typeof name !== 'string' || name === '') return '';
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}/${name}` : name;
}

function restOf(fields: Readonly<Record<string, unknown>>): string {
  const kind = fields['controllerKind'];
  return Object.entries(fields)
    .filter(([key, value]) => !hidden.has(key) && key !== kind && value !== undefined)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? oneLine(value) : JSON.stringify(value)}`)
    .join(' ');
}

/** A value from outside must not be able to make a line of its own. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (char) => JSON.stringify(char).slice(1, -1));
}
