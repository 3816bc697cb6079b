/** A JSON object of a document. */
export type JsonObject = Readonly<Record<string, unknown>>;
