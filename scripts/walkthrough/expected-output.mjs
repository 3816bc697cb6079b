/**
 * Returns a matcher for the output on a page: `…` matches any text within a line, or any lines if it is alone on a
 * line; runs of blanks count as one.
 */
export function expectedOutput(shown) {
  const lines = linesOf(shown).map((line) =>
    line === '…' ? '(?:[^\\n]*\\n)*?' : `${line.split('…').map(escaped).join('[^\\n]*?')}\\n`,
  );
  const pattern = new RegExp(`^${lines.join('')}$`);
  return (output) => pattern.test(`${linesOf(output).join('\n')}\n`);
}

function linesOf(text) {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/[ \t]+/g, ' ').trimEnd());
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
