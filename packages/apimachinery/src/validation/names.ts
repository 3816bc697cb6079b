import { byteLength } from '../text/byte-length.ts';

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const dns1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const labelKey = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = `(${labelKey})?`;

// Unlike Go's RE2, JavaScript backtracks. These expressions still take linear time, because they are anchored and only
// their last part backtracks.
const labelPattern = new RegExp(`^${label}$`);
const subdomainPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const dns1035Pattern = new RegExp(`^${dns1035}$`);
const labelKeyPattern = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/**
 * Checks a DNS label of RFC 1123 (`my-name`, at most 63 bytes). @returns the faults; empty if valid.
 *
 * @example
 * ```ts
 * const faults = checkDns1123Label('my-name');
 * ```
 */
export function checkDns1123Label(value: string): readonly string[] {
  const errors = value.length > 63 ? [maxCharacters(63)] : [];
  if (!labelPattern.test(value)) {
    errors.push(
      isSubdomain(value)
        ? 'must not contain dots'
        : regexError(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
            { expression: label, examples: ['my-name', '123-abc'] },
          ),
    );
  }
  return errors;
}

/**
 * Checks a DNS subdomain of RFC 1123 (`example.com`, at most 253 bytes). @returns the faults.
 *
 * @example
 * ```ts
 * const faults = checkDns1123Subdomain('db.example.com');
 * ```
 */
export function checkDns1123Subdomain(value: string): readonly string[] {
  const errors = value.length > 253 ? [maxCharacters(253)] : [];
  if (!isSubdomain(value)) {
    errors.push(
      regexError(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        { expression: subdomain, examples: ['example.com'] },
      ),
    );
  }
  return errors;
}

/**
 * Checks a DNS label of RFC 1035 (starts with a letter; names of Services). @returns the faults.
 *
 * @example
 * ```ts
 * const faults = checkDns1035Label('my-service');
 * ```
 */
export function checkDns1035Label(value: string): readonly string[] {
  const errors = value.length > 63 ? [maxCharacters(63)] : [];
  if (!dns1035Pattern.test(value)) {
    errors.push(
      regexError(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        { expression: dns1035, examples: ['my-name', 'abc-123'] },
      ),
    );
  }
  return errors;
}

/**
 * Checks a qualified name (keys of labels and annotations, finalizers): `[prefix/]name`. @returns the faults.
 *
 * @example
 * ```ts
 * const faults = checkQualifiedName('example.com/team');
 * ```
 */
export function checkQualifiedName(value: string): readonly string[] {
  const parts = value.split('/');
  const rule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  const explained = regexError(rule, { expression: labelKey, examples: ['MyName', 'my.name', '123-abc'] });
  if (parts.length > 2) {
    return [`a valid label key ${explained} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const errors: string[] = [];
  const name = parts[parts.length - 1] ?? '';
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    if (prefix === '') errors.push('prefix part must be non-empty');
    else errors.push(...checkPrefix(prefix));
  }
  if (name === '') errors.push('name part must be non-empty');
  else if (byteLength(name) > 63) errors.push(`name part ${maxBytes(63)}`);
  if (!labelKeyPattern.test(name)) errors.push(`name part ${explained}`);
  return errors;
}

/**
 * Checks the value of a label (at most 63 bytes, may be empty). @returns the faults.
 *
 * @example
 * ```ts
 * const faults = checkLabelValue('team-a');
 * ```
 */
export function checkLabelValue(value: string): readonly string[] {
  const errors = byteLength(value) > 63 ? [maxBytes(63)] : [];
  if (value !== '' && !labelKeyPattern.test(value)) {
    errors.push(
      regexError(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        { expression: labelValue, examples: ['MyValue', 'my_value', '12345'] },
      ),
    );
  }
  return errors;
}

function checkPrefix(prefix: string): readonly string[] {
  const errors = prefix.length > 253 ? [maxBytes(253)] : [];
  const others = checkDns1123Subdomain(prefix).filter((message) => message !== maxCharacters(253));
  return [...errors, ...others].map((message) => `prefix part ${message}`);
}

function isSubdomain(value: string): boolean {
  return value.split('.').every((part) => subdomainPattern.test(part));
}

function regexError(
  message: string,
  options: { readonly expression: string; readonly examples: readonly string[] },
): string {
  const examples = options.examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (e.g. ${examples}regex used for validation is '${options.expression}')`;
}

function maxCharacters(length: number): string {
  return `must be no more than ${length} characters`;
}

function maxBytes(length: number): string {
  return `must be no more than ${length} bytes`;
}
