/** A request; `NS` in its path and body is the scenario's namespace. */
export type RecordedRequest = readonly [
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
];

export declare const requests: readonly RecordedRequest[];
