import { ConfigError } from './config-error.ts';

/** Reads fields of a decoded YAML object; errors name the file and the path of the field, never its value. */
export interface Fields {
  has(name: string): boolean;
  keys(): readonly string[];
  raw(name: string): unknown;
  /** Returns a string; undefined if missing, null or empty. */
  text(name: string): string | undefined;
  flag(name: string): boolean;
  texts(name: string): readonly string[];
  /** Returns an object; empty if the field is missing or null. */
  object(name: string): Fields;
  objects(name: string): readonly Fields[];
  error(name: string, why: string): ConfigError;
}

/** Returns a reader for the fields of a value. @throws ConfigError `KW2202` if `value` is not an object. */
export function readFields(value: unknown, where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigError('KW2202', { what: `cannot use ${where}`, why: 'expected an object' });
  }
  const raw = (name: string): unknown =>
    Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
  const error = (name: string, why: string): ConfigError =>
    new ConfigError('KW2202', { what: `cannot use ${where}`, why: `${name} ${why}` });
  const list = (name: string): readonly unknown[] => {
    const entries = raw(name) ?? [];
    if (!Array.isArray(entries)) throw error(name, 'must be a list');
    return entries;
  };
  return {
    has: (name) => raw(name) !== undefined && raw(name) !== null,
    keys: () => Object.keys(value),
    raw,
    error,
    text(name) {
      const found = raw(name) ?? '';
      if (typeof found !== 'string') throw error(name, 'must be a string (put the value in quotes)');
      return found === '' ? undefined : found;
    },
    flag(name) {
      const found = raw(name) ?? false;
      if (typeof found !== 'boolean') throw error(name, 'must be true or false');
      return found;
    },
    texts: (name) =>
      list(name).map((entry) => {
        if (typeof entry !== 'string') throw error(name, 'must be a list of strings');
        return entry;
      }),
    object: (name) => readFields(raw(name) ?? {}, `${where}: ${name}`),
    objects: (name) => list(name).map((entry, index) => readFields(entry, `${where}: ${name}[${index}]`)),
  };
}
