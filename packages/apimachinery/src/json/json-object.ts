/** A JSON object of unknown content. */
export type JsonObject = Readonly<Record<string, unknown>>;
