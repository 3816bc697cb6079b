import { type Clock, systemClock } from '@kubewright/apimachinery';
import { jsonLogger } from '../log/json-logger.ts';
import type { Logger, LogLevel } from '../log/logger.ts';
import { prettyLogger } from '../log/pretty-logger.ts';
import type { FlagDefinition } from './parse-flags.ts';
import { FlagError } from './parse-flags.ts';

/** The flags of controller-runtime's zap logger. */
export const logFlags: Readonly<Record<string, FlagDefinition>> = {
  'zap-devel': { type: 'boolean', help: 'log human-readable lines at debug level', default: 'false' },
  'zap-encoder': { type: 'text', help: 'log format: json or console' },
  'zap-log-level': {
    type: 'text',
    help: 'log level: debug, info, error, panic, or a number greater than 0, which means debug',
  },
  'zap-stacktrace-level': {
    type: 'text',
    help: 'level from which stack traces are logged; only error is supported',
    default: 'error',
  },
  'zap-time-encoding': { type: 'text', help: 'time format: iso8601, rfc3339 or rfc3339nano; all give the same output' },
};

/** Creates the logger that the flags request; undefined if no log flag is set. */
export function loggerOf(flags: ReadonlyMap<string, string>, clock: Clock = systemClock): Logger | undefined {
  const present = Object.keys(logFlags).filter((name) => flags.has(name));
  if (present.length === 0) return undefined;
  only(flags, { name: 'zap-stacktrace-level', values: ['error'] });
  only(flags, { name: 'zap-time-encoding', values: ['iso8601', 'rfc3339', 'rfc3339nano'] });
  only(flags, { name: 'zap-encoder', values: ['json', 'console'] });
  const isDevel = flags.get('zap-devel') === 'true';
  const given = flags.get('zap-log-level');
  const level: LogLevel = given === undefined ? (isDevel ? 'debug' : 'info') : levelOf(given);
  const encoder = flags.get('zap-encoder') ?? (isDevel ? 'console' : 'json');
  const now = (): number => clock.now();
  if (encoder === 'json') return jsonLogger({ level, now });
  const { stderr } = process;
  const destination = { write: (line: string) => void stderr.write(line) };
  return prettyLogger({ level, now, destination, colors: stderr.isTTY && (stderr.hasColors?.() ?? false) });
}

function levelOf(text: string): LogLevel {
  const name = text.toLowerCase();
  if (name === 'debug' || name === 'info' || name === 'error') return name;
  if (name === 'panic') return 'error';
  if (/^[1-9]\d{0,2}$/.test(name)) return 'debug';
  throw new FlagError({
    what: `invalid value "${text}" for --zap-log-level`,
    why: 'must be debug, info, error, panic or a number greater than 0',
  });
}

function only(
  flags: ReadonlyMap<string, string>,
  { name, values }: { readonly name: string; readonly values: readonly string[] },
): void {
  const value = flags.get(name)?.toLowerCase();
  if (value !== undefined && !values.includes(value))
    throw new FlagError({
      what: `invalid value ${JSON.stringify(value)} for --${name}`,
      why: `must be ${values.join(', ')}`,
    });
}
