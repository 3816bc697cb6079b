/** Parses an LSN such as `16/B374D848`. @throws TypeError if it is invalid */
export function parseLsn(text: string): bigint {
  const [, high, low] = /^([\dA-F]{1,8})\/([\dA-F]{1,8})$/i.exec(text) ?? [];
  if (high === undefined || low === undefined) throw new TypeError(`not an LSN: ${JSON.stringify(text)}`);
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

/** Parses an LSN for comparisons. Returns -1, which is less than any LSN, for `undefined` and any other text. */
export function lsnOf(text: string | undefined): bigint {
  try {
    return parseLsn(text ?? '');
  } catch {
    return -1n; // not an LSN
  }
}
