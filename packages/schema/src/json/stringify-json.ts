/**
 * Serializes plain data as JSON. The engine's `JSON.stringify` overflows the stack at a few thousand levels; in that case
 * this function uses an explicit stack. Properties that are `undefined` are omitted, as `JSON.stringify` does.
 */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    if (error instanceof RangeError) return stringifyDeep(value);
    throw error;
  }
}

interface Frame {
  readonly keys: readonly string[] | undefined;
  readonly container: readonly unknown[] | Readonly<Record<string, unknown>>;
  at: number;
  written: number;
}

function stringifyDeep(root: unknown): string {
  const out: string[] = [];
  const stack: Frame[] = [];
  const open = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) {
      out.push(JSON.stringify(value) ?? 'null');
    } else if (Array.isArray(value)) {
      out.push('[');
      stack.push({ keys: undefined, container: value, at: 0, written: 0 });
    } else {
      out.push('{');
      const record = value as Record<string, unknown>; // plain data: not a primitive and not a list
      stack.push({ keys: Object.keys(record), container: record, at: 0, written: 0 });
    }
  };
  open(root);
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const { keys, container } = frame;
    const length = keys === undefined ? (container as readonly unknown[]).length : keys.length;
    if (frame.at >= length) {
      out.push(keys === undefined ? ']' : '}');
      stack.pop();
      continue;
    }
    const index = frame.at++;
    const key = keys?.[index];
    const item =
      key === undefined ? (container as readonly unknown[])[index] : (container as Record<string, unknown>)[key];
    if (key !== undefined && item === undefined) continue;
    if (frame.written++ > 0) out.push(',');
    if (key !== undefined) out.push(JSON.stringify(key), ':');
    open(item);
  }
  return out.join('');
}
