import type { CelEnvironment } from '../environment.ts';
import type { Overload } from '../library/library.ts';
import type { CelType } from './cel-type.ts';

/** A function and its overloads. */
export interface NamedFunction {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

/** The variable, type or function that a name refers to. */
export type Reference =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'type'; readonly type: CelType }
  | { readonly kind: 'function'; readonly name: string; readonly overloads: readonly Overload[] };

/** The names that an expression can use: loop variables, declared variables, and names from the environment. */
export class Scopes {
  readonly #environment: CelEnvironment;
  readonly #variables: ReadonlyMap<string, CelType>;
  /** The loop variables, outermost loop first. */
  readonly #local: ReadonlyMap<string, CelType>[] = [];

  constructor(environment: CelEnvironment, variables: ReadonlyMap<string, CelType>) {
    this.#environment = environment;
    this.#variables = variables;
  }

  /** Enters a loop and adds its variables; call {@link leave} at the end of the loop. */
  enter(variables: ReadonlyMap<string, CelType>): void {
    this.#local.push(variables);
  }

  leave(): void {
    this.#local.pop();
  }

  /** Finds the variable or type that a name refers to. */
  find(name: string): { readonly reference: Reference; readonly type: CelType } | undefined {
    if (!name.startsWith('.')) {
      for (let i = this.#local.length - 1; i >= 0; i--) {
        const type = this.#local[i]!.get(name);
        if (type !== undefined) return { reference: { kind: 'variable', name }, type };
      }
    }
    for (const candidate of this.#environment.candidates(name)) {
      const variable = this.#variables.get(candidate);
      if (variable !== undefined) return { reference: { kind: 'variable', name: candidate }, type: variable };
      const type = this.#environment.types.get(candidate);
      if (type !== undefined) return { reference: { kind: 'type', type: type.params[0]! }, type };
    }
    return undefined;
  }

  /** True if the first part of a qualified name is a loop variable; the rest then selects fields of the variable. */
  startsWithLocal(name: string): boolean {
    const head = name.split('.', 1)[0]!;
    return this.#local.some((scope) => scope.has(head));
  }

  /** Finds a function that is called without a target. */
  findFunction(name: string): NamedFunction | undefined {
    for (const candidate of this.#environment.candidates(name)) {
      const overloads = this.#environment.functions.get(candidate);
      if (overloads !== undefined) return { name: candidate, overloads };
    }
    return undefined;
  }
}
