/**
 * Serializes plain data as JSON, bigints as integers. `JSON.stringify` rejects bigints and overflows the stack at a few
 * thousand levels; in both cases this function falls back to an explicit stack. Undefined properties are omitted, as
 * with `JSON.stringify`.
 */
export function stringifyJson(value: unknown, { indent = 0 }: { readonly indent?: number } = {}): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? 'null';
  } catch (error) {
    if (error instanceof RangeError || isAboutBigInt(error)) return stringifyDeep(value, indent);
    throw error;
  }
}

/** True if `JSON.stringify` rejected a bigint; its other TypeErrors report a cycle. */
function isAboutBigInt(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes('BigInt');
}

/** Returns the value to serialize: the result of `toJSON` if it has one, as dates do. */
function serializable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON.call(value) as unknown) : value;
}

interface Frame {
  readonly keys: readonly string[] | undefined;
  readonly container: readonly unknown[] | Readonly<Record<string, unknown>>;
  at: number;
  written: number;
}

function stringifyDeep(root: unknown, indent: number): string {
  const out: string[] = [];
  const stack: Frame[] = [];
  const entered = new Set<unknown>();
  const newLine = (): void => {
    if (indent > 0) out.push('\n', ' '.repeat(indent * stack.length));
  };
  const open = (given: unknown): void => {
    const value = serializable(given);
    if (typeof value === 'bigint') {
      out.push(String(value));
      return;
    }
    if (typeof value !== 'object' || value === null) {
      out.push(JSON.stringify(value) ?? 'null');
      return;
    }
    if (entered.has(value)) throw new TypeError('cannot serialize the value as JSON: it contains a circular reference');
    entered.add(value);
    if (Array.isArray(value)) {
      out.push('[');
      stack.push({ keys: undefined, container: value, at: 0, written: 0 });
    } else {
      out.push('{');
      const record = value as Record<string, unknown>; // plain data, neither a primitive nor a list
      stack.push({ keys: Object.keys(record), container: record, at: 0, written: 0 });
    }
  };
  open(root);
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const { keys, container } = frame;
    const length = keys === undefined ? (container as readonly unknown[]).length : keys.length;
    if (frame.at >= length) {
      stack.pop();
      entered.delete(frame.container);
      if (frame.written > 0) newLine();
      out.push(keys === undefined ? ']' : '}');
      continue;
    }
    const index = frame.at++;
    const key = keys?.[index];
    const item =
      key === undefined ? (container as readonly unknown[])[index] : (container as Record<string, unknown>)[key];
    if (key !== undefined && item === undefined) continue;
    if (frame.written++ > 0) out.push(',');
    newLine();
    if (key !== undefined) out.push(JSON.stringify(key), indent > 0 ? ': ' : ':');
    open(item);
  }
  return out.join('');
}
