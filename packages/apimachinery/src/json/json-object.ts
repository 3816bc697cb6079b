/** A JSON object of unknown content. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A {@link JsonObject} under construction. */
export type MutableJsonObject = Record<string, unknown>;
