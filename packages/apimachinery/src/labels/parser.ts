import { formatFieldErrors } from '../validation/field-error.ts';
import { type Token, tokenize } from './lexer.ts';
import {
  checkKey,
  type LabelOperator,
  type LabelRequirement,
  LabelSelectorError,
  labelRequirement,
} from './requirement.ts';

/** Parses a label selector. @throws {@link LabelSelectorError} with the API's message. */
export function parseRequirements(text: string): readonly LabelRequirement[] {
  return new Parser(tokenize(text)).parse();
}

const binaryOperators: Readonly<Partial<Record<Token['type'], LabelOperator>>> = {
  in: 'in',
  '=': '=',
  '==': '==',
  '>': 'gt',
  '<': 'lt',
  notin: 'notin',
  '!=': '!=',
};

class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): readonly LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const token = this.#peekValue();
      if (token.type === 'end') return requirements;
      if (token.type !== 'identifier' && token.type !== '!') {
        fail(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#wrapped());
      const next = this.#takeValue();
      if (next.type === 'end') return requirements;
      if (next.type !== ',') fail(`found '${next.text}', expected: ',' or 'end of string'`);
      const after = this.#peekValue();
      if (after.type !== 'identifier' && after.type !== '!') {
        fail(`found '${after.text}', expected: identifier after ','`);
      }
    }
  }

  #wrapped(): LabelRequirement {
    try {
      return this.#requirement();
    } catch (error) {
      if (error instanceof LabelSelectorError) fail(`unable to parse requirement: ${error.message}`);
      throw error;
    }
  }

  #requirement(): LabelRequirement {
    let token = this.#takeValue();
    const negated = token.type === '!';
    if (negated) token = this.#takeValue();
    if (token.type !== 'identifier') fail(`found '${token.text}', expected: identifier`);
    const key = token.text;
    const faults = checkKey(key, undefined);
    if (faults.length > 0) fail(formatFieldErrors(faults));
    const next = this.#peekValue().type;
    if (next === 'end' || next === ',')
      return labelRequirement({ key, operator: negated ? '!' : 'exists', values: [] });
    if (negated) return labelRequirement({ key, operator: '!', values: [] });
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#values() : [this.#exactValue()];
    return labelRequirement({ key, operator, values: [...new Set(values)].sort() });
  }

  #operator(): LabelOperator {
    const token = this.#take();
    const operator = binaryOperators[token.type];
    return operator ?? fail(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
  }

  #values(): readonly string[] {
    const open = this.#takeValue();
    if (open.type !== '(') fail(`found '${open.text}' expected: '('`);
    const first = this.#peekValue();
    if (first.type === ')') {
      this.#takeValue();
      return [''];
    }
    if (first.type !== 'identifier' && first.type !== ',') {
      fail(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = this.#identifiers();
    if (this.#takeValue().type !== ')') fail(`found '${first.text}', expected: ')'`);
    return values;
  }

  /** Parses a list of values. Empty values are allowed: `(,a,,b,)` contains the empty value, `a` and `b`. */
  #identifiers(): readonly string[] {
    const values: string[] = [];
    for (;;) {
      const token = this.#takeValue();
      const next = this.#peekValue();
      if (token.type === 'identifier') {
        values.push(token.text);
        if (next.type === ',') continue;
        if (next.type === ')') return values;
        fail(`found '${next.text}', expected: ',' or ')'`);
      }
      if (token.type !== ',') fail(`found '${token.text}', expected: ',', or identifier`);
      if (values.length === 0) values.push('');
      if (next.type === ')') {
        values.push('');
        return values;
      }
      if (next.type === ',') values.push('');
    }
  }

  #exactValue(): string {
    const next = this.#peekValue();
    if (next.type === 'end' || next.type === ',') return '';
    const token = this.#takeValue();
    return token.type === 'identifier' ? token.text : fail(`found '${token.text}', expected: identifier`);
  }

  #take(): Token {
    return this.#tokens[this.#position++] ?? { type: 'end', text: '' };
  }

  /** Consumes a token where a value is expected; `in` and `notin` are ordinary identifiers there. */
  #takeValue(): Token {
    const token = this.#peekValue();
    this.#position++;
    return token;
  }

  #peekValue(): Token {
    const token = this.#tokens[this.#position] ?? { type: 'end', text: '' };
    return token.type === 'in' || token.type === 'notin' ? { type: 'identifier', text: token.text } : token;
  }
}

function fail(message: string): never {
  throw new LabelSelectorError({ what: message });
}
