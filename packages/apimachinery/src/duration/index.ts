export { DurationError, formatDuration, formatDurationMs, parseDuration, parseDurationMs } from './duration.ts';
