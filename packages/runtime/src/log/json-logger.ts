import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import { printableFields } from './log-record.ts';
import type { LogFields, Logger, LogLevel } from './logger.ts';

/** Where log lines go: whole lines, with their line feed. */
export interface LogDestination {
  write(line: string): void;
}

/** Options of {@link jsonLogger}. */
export interface JsonLoggerOptions {
  /** @defaultValue 'info' */
  readonly level?: LogLevel;
  /** @defaultValue stderr */
  readonly destination?: LogDestination;
  /** Current wall clock, in milliseconds. @defaultValue the machine's */
  readonly now?: () => number;
}

/** Writes JSON lines with controller-runtime's keys (`ts`, `level`, `logger`, `msg`, `error`, `stacktrace`, …). */
export function jsonLogger(options: JsonLoggerOptions = {}): Logger {
  const { now } = options;
  const timestamp = now
    ? () => `,"ts":"${new Date(now()).toISOString()}"`
    : () => stdTimeFunctions.isoTime().replace('"time"', '"ts"');
  const settings = {
    level: options.level ?? 'info',
    base: null,
    messageKey: 'msg',
    timestamp,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const stream: DestinationStream = options.destination ?? pino.destination({ dest: 2, sync: true });
  return new PinoBackedLogger(pino(settings, stream), '');
}

class PinoBackedLogger implements Logger {
  readonly #pino: PinoLogger;
  readonly #name: string;

  constructor(backend: PinoLogger, name: string) {
    this.#pino = backend;
    this.#name = name;
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
    return new PinoBackedLogger(this.#pino.child(printableFields(fields)), this.#name);
  }

  named(name: string): Logger {
    return new PinoBackedLogger(this.#pino, this.#name === '' ? name : `${this.#name}.${name}`);
  }

  #write(level: LogLevel, message: string, fields: LogFields | undefined): void {
    if (!this.#pino.isLevelEnabled(level)) return;
    const logger = this.#name === '' ? {} : { logger: this.#name };
    this.#pino[level]({ ...logger, ...(fields && printableFields(fields)) }, message);
  }
}
