/** The fields of `T`, with optional ones where the value may be undefined. */
export type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Returns the fields that are not undefined, for a type whose optional fields must be present or absent. */
export function defined<T extends object>(fields: T): Defined<T> {
  const found: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) found[key] = value;
  return found as Defined<T>; // only undefined fields are missing
}
