import { PatternCache } from '../pattern/pattern-cache.ts';
import type { Library, Overload } from './library/library.ts';
import { type Macro, macroKey } from './syntax/macro.ts';
import { type CelType, typeOf } from './types/cel-type.ts';

/** Libraries and settings of a {@link CelEnvironment}. */
export interface EnvironmentOptions {
  readonly libraries: readonly Library[];
  /** Accepts the syntax of optionals: `a.?b`, `a[?b]`, `[?a]`, `{?a: b}`. @defaultValue false */
  readonly optionalSyntax?: boolean;
  /** Accepts field names in backquotes. @defaultValue false */
  readonly escapedIdentifiers?: boolean;
  /**
   * Checks literals at compile time: durations, timestamps, patterns, format strings, lists and maps with mixed types,
   * conversions that always fail. Kubernetes does; the language specification does not require it. @defaultValue false
   */
  readonly checkLiterals?: boolean;
  /** Namespace in which unqualified names are looked up first. @defaultValue '' */
  readonly container?: string;
  /** Cache of compiled patterns. @defaultValue a separate cache */
  readonly patterns?: PatternCache;
}

/**
 * The functions, macros and types that expressions can use. Immutable; created once and shared by all expressions of a kind.
 *
 * @example
 * ```ts
 * const environment: CelEnvironment = kubernetesEnvironment();
 * const isSmall = compileExpression('size(object.spec.names) < 10', { environment, variables: { object: 'dyn' } });
 * ```
 */
export class CelEnvironment {
  readonly patterns: PatternCache;
  readonly options: EnvironmentOptions;
  #names: Names | undefined;

  constructor(options: EnvironmentOptions) {
    this.patterns = options.patterns ?? new PatternCache();
    this.options = options;
  }

  get macros(): ReadonlyMap<string, Macro> {
    return this.#tables().macros;
  }

  get functions(): ReadonlyMap<string, readonly Overload[]> {
    return this.#tables().functions;
  }

  /** Types by name. In an expression, the name of a type T is an identifier of type `type(T)`. */
  get types(): ReadonlyMap<string, CelType> {
    return this.#tables().types;
  }

  /** Returns the structure type with the given name, for expressions such as `Object.spec{replicas: 3}`. */
  struct(name: string): CelType | undefined {
    for (const candidate of this.candidates(name)) {
      for (const { structOf } of this.options.libraries) {
        const type = structOf?.(candidate);
        if (type) return type;
      }
    }
    return undefined;
  }

  /** Returns the qualified names that a name can refer to, innermost namespace first. */
  candidates(name: string): readonly string[] {
    const container = this.options.container ?? '';
    if (name.startsWith('.')) return [name.slice(1)];
    if (container === '') return [name];
    const parts = container.split('.');
    return [...parts.map((_, i) => `${parts.slice(0, parts.length - i).join('.')}.${name}`), name];
  }

  /** Creates the tables on first use, because many programs never compile an expression. */
  #tables(): Names {
    this.#names ??= namesOf(this.options.libraries);
    return this.#names;
  }
}

interface Names {
  readonly macros: ReadonlyMap<string, Macro>;
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  readonly types: ReadonlyMap<string, CelType>;
}

function namesOf(libraries: readonly Library[]): Names {
  const macros = new Map<string, Macro>();
  const functions = new Map<string, Overload[]>();
  const types = new Map<string, CelType>();
  for (const library of libraries) {
    for (const macro of library.macros ?? []) macros.set(macroKey(macro.name, macro), macro);
    for (const [name, type] of library.types ?? []) types.set(name, typeOf(type));
    for (const overload of library.overloads ?? []) {
      const overloads = functions.get(overload.name);
      if (overloads === undefined) functions.set(overload.name, [overload]);
      else overloads.push(overload);
    }
  }
  return { macros, functions, types };
}
