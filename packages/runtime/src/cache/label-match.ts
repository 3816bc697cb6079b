/** Says whether an object with these labels is selected. */
export type LabelMatch = (labels: Readonly<Record<string, string>>) => boolean;

/** Thrown for a label selector that cannot be read. */
export class InvalidSelectorError extends Error {
  readonly code = 'KW3011';

  constructor(selector: string) {
    super(
      `cannot read the label selector ${JSON.stringify(selector)}; write it as in "app=web,tier!=cache,env in (a,b),!legacy"`,
    );
    this.name = 'InvalidSelectorError';
  }
}

/**
 * Makes a test from a label selector in the API's form, or from labels that must be equal.
 *
 * @throws InvalidSelectorError (KW3011)
 */
export function labelMatch(selector: string | Readonly<Record<string, string>>): LabelMatch {
  const tests =
    typeof selector === 'string'
      ? splitRequirements(selector).map((part) => requirement(part, selector))
      : Object.entries(selector).map(
          ([key, value]): LabelMatch =>
            (labels) =>
              labelOf(labels, key) === value,
        );
  return (labels) => tests.every((test) => test(labels));
}

function requirement(part: string, selector: string): LabelMatch {
  const set = /^\s*([\w./-]+)\s+(in|notin)\s*\(([^()]*)\)\s*$/.exec(part);
  if (set) {
    const [, key = '', operator, list = ''] = set;
    const values = new Set(list.split(',').map((value) => value.trim()));
    return (labels) => {
      const value = labelOf(labels, key);
      return operator === 'in' ? value !== undefined && values.has(value) : value === undefined || !values.has(value);
    };
  }
  const equality = /^\s*([\w./-]+)\s*(==|=|!=)\s*([\w.-]*)\s*$/.exec(part);
  if (equality) {
    const [, key = '', operator, wanted] = equality;
    // A label that is not there is unequal to every value.
    return (labels) => (labelOf(labels, key) === wanted) === (operator !== '!=');
  }
  const existence = /^\s*(!?)\s*([\w./-]+)\s*$/.exec(part);
  if (!existence) throw new InvalidSelectorError(selector);
  const [, absent, key = ''] = existence;
  return (labels) => (labelOf(labels, key) === undefined) === (absent === '!');
}

function labelOf(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** Splits at commas that are not inside parentheses. */
function splitRequirements(selector: string): readonly string[] {
  return selector.trim() === '' ? [] : selector.split(/,(?![^(]*\))/);
}
