import { KubewrightError, StatusError } from '@kubewright/apimachinery';
import type { LogFields } from './logger.ts';

/** Deepest nesting of a field that is printed. */
const maxDepth = 6;
const maxText = 16 * 1024;

/**
 * Converts fields to a printable form. An `Error` under `error` becomes its message and, under `stacktrace`, its stack; a
 * {@link KubewrightError} also adds its `code`, `what`, `why` and `remedy`, so that programs need not parse the message. Kubernetes
 * objects become their names, so that no Secret is ever printed.
 */
export function printableFields(fields: LogFields): Record<string, unknown> {
  const printable: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (key === 'error' && value instanceof Error) {
      printable['error'] = messageOf(value);
      if (value.stack !== undefined) printable['stacktrace'] = value.stack;
      addText(printable, value);
    } else
      Object.defineProperty(printable, key, {
        value: printableValue(value, 0),
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  return printable;
}

/** The fields of a `KubewrightError`; fields that the caller set take precedence. */
const textFields = ['code', 'what', 'why', 'remedy'] as const;

/** Adds the text fields of the outermost `KubewrightError` in the cause chain. */
function addText(printable: Record<string, unknown>, error: Error): void {
  let each: unknown = error;
  for (let i = 0; each instanceof Error && i < maxDepth; i++, each = each.cause) {
    // Skip API errors: their text is the server's message, which `error` already contains.
    if (!(each instanceof KubewrightError) || each instanceof StatusError) continue;
    for (const field of textFields) if (each[field] !== undefined) printable[field] ??= each[field];
    return;
  }
}

/** Joins an error's message with the messages of its causes. */
function messageOf(error: unknown): string {
  const parts: string[] = [];
  for (let each: unknown = error, i = 0; each !== undefined && i < 5; i++) {
    if (!(each instanceof Error)) {
      parts.push(String(each));
      break;
    }
    if (!parts.at(-1)?.includes(each.message)) parts.push(each.message);
    each = each.cause;
  }
  return parts.join(': ');
}

function printableValue(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string') return value.length > maxText ? `${value.slice(0, maxText)}…` : value;
  if (typeof value === 'function' || typeof value === 'symbol') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return messageOf(value);
  if (depth >= maxDepth) return '…';
  if (Array.isArray(value)) return value.map((each) => printableValue(each, depth + 1));
  if (isObject(value)) return { name: value.metadata.name, namespace: value.metadata.namespace };
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, printableValue(each, depth + 1)]));
}

function isObject(
  value: object,
): value is { readonly metadata: { readonly name?: string; readonly namespace?: string } } {
  return 'metadata' in value && 'kind' in value && typeof value.metadata === 'object' && value.metadata !== null;
}
