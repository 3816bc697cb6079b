/** Checks a key of a ConfigMap or Secret. @returns the error messages. */
export function checkConfigMapKey(value: string): readonly string[] {
  const errors = value.length > 253 ? [maxCharacters(253)] : [];
  if (!/^[-._a-zA-Z0-9]+$/.test(value)) {
    errors.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  return [...errors, ...checkNoParent(value)];
}

/** Checks the name of an environment variable by 1.36's relaxed rule: printable ASCII without `=`. */
export function checkRelaxedEnvVarName(value: string): readonly string[] {
  const errors = value === '' ? ['environment variable name must be non-empty'] : [];
  if (!/^[\x20-\x3c\x3e-\x7e]*$/.test(value)) {
    errors.push("a valid environment variable name must consist only of printable ASCII characters other than '='");
  }
  return errors;
}

/** Checks the name of a port (an IANA service name). @returns the error messages. */
export function checkPortName(value: string): readonly string[] {
  const errors = value.length > 15 ? [maxCharacters(15)] : [];
  if (!/^[-a-z0-9]+$/.test(value)) {
    errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(value)) errors.push('must contain at least one letter (a-z)');
  if (value.includes('--')) errors.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}

/** Checks a port number. @returns the error messages. */
export function checkPortNumber(port: number): readonly string[] {
  return port >= 1 && port <= 65_535 ? [] : ['must be between 1 and 65535, inclusive'];
}

/** Checks a segment of a URL path, such as the name of a Role. @returns the error messages. */
export function checkPathSegment(value: string): readonly string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((illegal) => value.includes(illegal)).map((illegal) => `may not contain '${illegal}'`);
}

function checkNoParent(value: string): readonly string[] {
  if (value === '.' || value === '..') return [`must not be '${value}'`];
  return value.startsWith('..') ? ["must not start with '..'"] : [];
}

function maxCharacters(length: number): string {
  return `must be no more than ${length} characters`;
}
