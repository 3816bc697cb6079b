import { KubewrightError } from '../errors/kubewright-error.ts';

/**
 * Thrown for a field selector that cannot be parsed. The message matches the API server's.
 *
 * @example
 * ```ts
 * try {
 *   FieldSelector.parse('metadata.name');
 * } catch (error) {
 *   if (error instanceof FieldSelectorError) console.error(`--field-selector: ${error.message}`);
 *   else throw error;
 * }
 * ```
 */
export class FieldSelectorError extends KubewrightError {
  override readonly name = 'FieldSelectorError';
  readonly code = 'KW1011';
}

/** One condition of a field selector: `status.phase!=Running`. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/**
 * Selects objects by a few fields that the server supports for their kind: `metadata.name=web,status.phase!=Running`. All
 * conditions must hold. Immutable.
 *
 * @example
 * ```ts
 * const selector = FieldSelector.parse('status.phase=Running');
 * ```
 */
export class FieldSelector {
  /** Selects everything. */
  static readonly everything: FieldSelector = new FieldSelector([]);

  /** The conditions, sorted if they were parsed from text. All must hold. */
  readonly requirements: readonly FieldRequirement[];

  private constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
  }

  /** Returns the selector with the given conditions, in the given order. */
  static of(...requirements: readonly FieldRequirement[]): FieldSelector {
    return requirements.length === 0 ? FieldSelector.everything : new FieldSelector(requirements);
  }

  /**
   * Parses `field=value`, `field==value` and `field!=value`, separated by commas; in values, `\` escapes `,`, `=` and itself.
   * Does not check which fields the kind supports.
   *
   * @throws {@link FieldSelectorError}
   */
  static parse(text: string): FieldSelector {
    const requirements = splitTerms(text)
      .sort()
      .filter((term) => term !== '')
      .map((term) => parseTerm(term, text));
    return FieldSelector.of(...requirements);
  }

  /** True if the selector selects everything. */
  get isEmpty(): boolean {
    return this.requirements.length === 0;
  }

  /** True if all conditions hold; `lookup` returns a field's value as text, `''` if the field is absent. */
  matches(lookup: (field: string) => string): boolean {
    return this.requirements.every(({ field, operator, value }) => (lookup(field) === value) === (operator === '='));
  }

  /** Returns the exact value that the selector requires of a field, if any. */
  exactValue(field: string): string | undefined {
    return this.requirements.find((term) => term.field === field && term.operator === '=')?.value;
  }

  /** Formats the selector for the API: `metadata.name=web,spec.nodeName!=a`. */
  toString(): string {
    return this.requirements.map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`).join(',');
  }
}

function splitTerms(text: string): string[] {
  if (text === '') return [];
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(term: string, selector: string): FieldRequirement {
  const match = /!=|==?/.exec(term);
  if (match === null)
    throw new FieldSelectorError({ what: `invalid selector: '${selector}'; can't understand '${term}'` });
  const operator = match[0] === '!=' ? '!=' : '=';
  const value = unescapeValue(term.slice(match.index + match[0].length));
  return { field: term.slice(0, match.index), operator, value };
}

function unescapeValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text;
  let out = '';
  const characters = [...text];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] ?? '';
    if (character === '\\') {
      const next = characters[++i];
      if (next !== '\\' && next !== ',' && next !== '=') {
        throw new FieldSelectorError({ what: `invalid field selector: invalid escape sequence: \\${next ?? ''}` });
      }
      out += next;
    } else if (character === ',' || character === '=') {
      // Go prints the rune as a number.
      throw new FieldSelectorError({
        what: `invalid field selector: unescaped character in value: ${character.codePointAt(0) ?? 0}`,
      });
    } else out += character;
  }
  return out;
}

function escapeValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}
