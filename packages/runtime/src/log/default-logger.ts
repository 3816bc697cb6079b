import type { Clock } from '@kubewright/apimachinery';
import { jsonLogger } from './json-logger.ts';
import type { Logger, LogLevel } from './logger.ts';
import { prettyLogger } from './pretty-logger.ts';

/** Creates a logger for stderr: readable lines if stderr is a terminal, otherwise JSON lines. */
export function defaultLogger(options: { readonly clock: Clock; readonly level?: LogLevel }): Logger {
  const { clock, level = 'info' } = options;
  const { stderr } = process;
  if (!stderr.isTTY) return jsonLogger({ level, now: () => clock.now() });
  const colors = stderr.hasColors?.() ?? false;
  return prettyLogger({
    level,
    destination: { write: (line) => void stderr.write(line) },
    now: () => clock.now(),
    colors,
  });
}
