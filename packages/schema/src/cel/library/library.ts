import type { PatternCache } from '../../pattern/pattern-cache.ts';
import type { Macro } from '../syntax/macro.ts';
import type { CelType } from '../types/cel-type.ts';
import type { Meter } from '../values/equality.ts';
import type { CelValue } from '../values/value.ts';
import { parseSignature, type Signature } from './signature.ts';

/** The context of a running evaluation: meters the work of functions and caches their patterns. */
export interface CallContext extends Meter {
  readonly patterns: PatternCache;
}

/** Implements one overload. Arguments have the declared types, but the contents of lists and maps are not checked. */
export type Implementation = (context: CallContext, ...args: CelValue[]) => CelValue;

/** One signature of a function. */
export interface Overload extends Signature {
  readonly run: Implementation;
}

/** A set of functions, macros and types that is added to an environment as a whole. */
export interface Library {
  readonly name: string;
  readonly overloads?: readonly Overload[];
  readonly macros?: readonly Macro[];
  /** Types that expressions can refer to by name. */
  readonly types?: readonly (readonly [name: string, type: CelType])[];
  /** Returns the structure type with the given name, for expressions such as `Object.spec{replicas: 3}`. */
  readonly structOf?: (name: string) => CelType | undefined;
}

/**
 * Declares an overload: `overload<[string, string]>('string.startsWith(string) bool', (_, text, prefix) => …)`.
 * Type parameters are single capital letters.
 */
export function overload<Args extends readonly CelValue[]>(
  signature: string,
  run: (context: CallContext, ...args: Args) => CelValue,
): Overload {
  // The cast is safe: the evaluator passes only values of the declared types.
  return new DeclaredOverload(signature, run as unknown as Implementation);
}

/**
 * Parses its signature on first use, because there are hundreds of overloads and most programs compile no expression.
 */
class DeclaredOverload implements Overload {
  readonly run: Implementation;
  readonly #text: string;
  #signature: Signature | undefined;

  constructor(text: string, run: Implementation) {
    this.#text = text;
    this.run = run;
  }

  get name(): string {
    return this.#parsed().name;
  }

  get member(): boolean {
    return this.#parsed().member;
  }

  get params(): readonly CelType[] {
    return this.#parsed().params;
  }

  get result(): CelType {
    return this.#parsed().result;
  }

  get typeParams(): readonly string[] {
    return this.#parsed().typeParams;
  }

  #parsed(): Signature {
    this.#signature ??= parseSignature(this.#text);
    return this.#signature;
  }
}
