/** `T` with every field that can be undefined made optional. */
export type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Returns the fields that are not undefined, for types whose optional fields must not be set to undefined. */
export function defined<T extends object>(fields: T): Defined<T> {
  const found: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) found[key] = value;
  return found as Defined<T>; // lacks only the undefined fields
}
