import { quote } from '../text/quote.ts';
import { parseRequirements } from './parser.ts';
import {
  formatRequirement,
  type LabelOperator,
  type LabelRequirement,
  LabelSelectorError,
  labelRequirement,
  matchesRequirement,
} from './requirement.ts';

/**
 * A label selector as stored in objects (meta/v1 `LabelSelector`). All conditions must hold.
 *
 * @example
 * ```ts
 * const selector: LabelSelectorObject = {
 *   matchLabels: { app: 'web' },
 *   matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['cache'] }],
 * };
 * const matches = LabelSelector.ofObject(selector).matches({ app: 'web', tier: 'front' });
 * ```
 */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

const objectOperators: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/**
 * Selects objects by their labels. All requirements must hold. Immutable.
 *
 * @example
 * ```ts
 * const matches = LabelSelector.parse('app=web,tier!=test').matches({ app: 'web' });
 * ```
 */
export class LabelSelector {
  /** Selects every object. */
  static readonly everything: LabelSelector = new LabelSelector([], false);
  /** Selects no object. */
  static readonly nothing: LabelSelector = new LabelSelector([], true);

  /** Sorted by key. */
  readonly requirements: readonly LabelRequirement[];
  readonly #nothing: boolean;

  private constructor(requirements: readonly LabelRequirement[], nothing: boolean) {
    this.requirements = requirements;
    this.#nothing = nothing;
  }

  /**
   * Parses a selector from a URL or a command line: `app=web,tier in (a, b),!canary,weight>5`.
   *
   * @throws {@link LabelSelectorError} with the API's message.
   */
  static parse(text: string): LabelSelector {
    return LabelSelector.#of(parseRequirements(text));
  }

  /** Returns a selector for objects that have all these labels; the labels are not validated. */
  static ofLabels(labels: Readonly<Record<string, string>>): LabelSelector {
    return LabelSelector.#of(Object.entries(labels).map(([key, value]) => ({ key, operator: '=', values: [value] })));
  }

  /**
   * Converts a selector from an object: undefined and null select nothing, an empty selector selects everything.
   *
   * @throws {@link LabelSelectorError} with the API's message.
   */
  static ofObject(selector: LabelSelectorObject | null | undefined): LabelSelector {
    if (selector === undefined || selector === null) return LabelSelector.nothing;
    const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) =>
      labelRequirement({ key, operator: '=', values: [value] }),
    );
    const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
      const known = objectOperators.get(operator);
      if (known === undefined)
        throw new LabelSelectorError({ what: `${quote(operator)} is not a valid label selector operator` });
      return labelRequirement({ key, operator: known, values });
    });
    return LabelSelector.#of([...labels, ...expressions]);
  }

  static #of(requirements: readonly LabelRequirement[]): LabelSelector {
    if (requirements.length === 0) return LabelSelector.everything;
    const sorted = [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    return new LabelSelector(sorted, false);
  }

  /** True if the selector selects everything. */
  get isEmpty(): boolean {
    return !this.#nothing && this.requirements.length === 0;
  }

  /** True if the selector is known to select nothing. */
  get isNothing(): boolean {
    return this.#nothing;
  }

  /** True if the selector matches an object with these labels. */
  matches(labels: Readonly<Record<string, string>> | undefined): boolean {
    if (this.#nothing) return false;
    const own = labels ?? {};
    return this.requirements.every((requirement) => matchesRequirement(requirement, own));
  }

  /** Returns the exact value that the selector requires for a label, if any. Callers use it for index lookups. */
  exactValue(key: string): string | undefined {
    const requirement = this.requirements.find((candidate) => candidate.key === key);
    if (requirement === undefined || !['=', '==', 'in'].includes(requirement.operator)) return undefined;
    return requirement.values.length === 1 ? requirement.values[0] : undefined;
  }

  /**
   * Formats the selector for {@link parse}, with the requirements sorted by key. Returns '' for a selector that selects
   * everything and for one that selects nothing.
   */
  toString(): string {
    return this.requirements.map(formatRequirement).join(',');
  }
}
