type JsonObject = Readonly<Record<string, unknown>>;

/** Returns an object, or a list of objects, without its managed fields. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const { items } = object;
  if (!Array.isArray(items)) return stripped(object);
  return { ...object, items: items.map((item: unknown) => (isObject(item) ? stripped(item) : item)) };
}

function stripped(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata) || !('managedFields' in metadata)) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}
