/** The inputs of the recorded answers; what they mean says rule-cases.mjs. */
export declare const commonSchema: Readonly<Record<string, unknown>>;
export declare const commonObject: Readonly<Record<string, unknown>>;
export declare const expressions: readonly string[];
export declare const badRules: readonly { readonly rule: string }[];
export declare const kinds: readonly {
  readonly name: string;
  readonly schema: unknown;
  readonly root: unknown;
  readonly objects: readonly unknown[];
  readonly updates: readonly { readonly old: unknown; readonly next: unknown }[];
}[];
