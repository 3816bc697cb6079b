import { quote } from '../text/index.ts';
import { parseRequirements } from './parser.ts';
import {
  formatRequirement,
  type LabelOperator,
  type LabelRequirement,
  LabelSelectorError,
  labelRequirement,
  matchesRequirement,
} from './requirement.ts';

/** A label selector as objects hold it (meta/v1 `LabelSelector`). All conditions must hold. */
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

/** Which objects are meant, by their labels. All requirements must hold. Immutable. */
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
   * Reads a selector as in a URL or on a command line: `app=web,tier in (a, b),!canary,weight>5`.
   *
   * @throws {@link LabelSelectorError} with the API's message.
   */
  static parse(text: string): LabelSelector {
    return LabelSelector.#of(parseRequirements(text));
  }

  /** The selector of objects that have all these labels; nothing is checked. */
  static ofLabels(labels: Readonly<Record<string, string>>): LabelSelector {
    return LabelSelector.#of(Object.entries(labels).map(([key, value]) => ({ key, operator: '=', values: [value] })));
  }

  /**
   * The selector of an object's field: absent selects nothing, empty selects everything.
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
        throw new LabelSelectorError(`${quote(operator)} is not a valid label selector operator`);
      return labelRequirement({ key, operator: known, values });
    });
    return LabelSelector.#of([...labels, ...expressions]);
  }

  static #of(requirements: readonly LabelRequirement[]): LabelSelector {
    if (requirements.length === 0) return LabelSelector.everything;
    const sorted = [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    return new LabelSelector(sorted, false);
  }

  /** True for the selector that restricts nothing. */
  get isEmpty(): boolean {
    return !this.#nothing && this.requirements.length === 0;
  }

  /** True for the selector that is known to select nothing. */
  get isNothing(): boolean {
    return this.#nothing;
  }

  /** Tells whether an object with these labels is meant. */
  matches(labels: Readonly<Record<string, string>> | undefined): boolean {
    if (this.#nothing) return false;
    const own = labels ?? {};
    return this.requirements.every((requirement) => matchesRequirement(requirement, own));
  }

  /** The one value that a label must have, if the selector asks for one: what an index can answer. */
  exactValue(key: string): string | undefined {
    const requirement = this.requirements.find((candidate) => candidate.key === key);
    if (requirement === undefined || !['=', '==', 'in'].includes(requirement.operator)) return undefined;
    return requirement.values.length === 1 ? requirement.values[0] : undefined;
  }

  /** As it can be read again, requirements sorted by key; empty for everything and for nothing. */
  toString(): string {
    return this.requirements.map(formatRequirement).join(',');
  }
}
