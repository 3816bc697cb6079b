/**
 * Returns the text of docs/proof.md. A result is `{ name, seconds, ok, text }` or `{ name, isSkipped: true }`; a single
 * line of text follows the name; longer text becomes a separate block.
 */
export function reportOf({ date, commit, versions, results }) {
  const failed = results.filter(({ ok, isSkipped }) => !ok && !isSkipped).length;
  const skipped = results.filter(({ isSkipped }) => isSkipped).length;
  const passed = results.length - failed - skipped;
  const counts = [`${passed} passed`, `${failed} failed`, `${skipped} skipped`].join(', ');
  const lines = [
    '# Proof',
    '',
    `Written by \`npm run proof\` on ${date}, commit ${commit}.`,
    '',
    ...versions.map((version) => `- ${version}`),
    '',
    failed > 0 ? `**${counts}**` : counts,
    '',
    ...results.map(lineOf),
  ];
  return `${lines.join('\n')}\n`;
}

/** Removes machine-specific and secret parts: folders, and text that looks like a token or a key. */
export function neutral(text, folders) {
  const known = Object.entries(folders).sort(([a], [b]) => b.length - a.length);
  let rest = text;
  for (const [folder, name] of known) rest = rest.replaceAll(folder, name);
  return rest
    .replaceAll(/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, '(a key)')
    .replaceAll(/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '(a token)')
    .replaceAll(/\b(bearer|basic) +[\w.~+/=-]+/gi, '$1 (a token)');
}

function lineOf({ name, ok, isSkipped, seconds, text = '' }) {
  if (isSkipped) return `- skipped: ${name}`;
  const head = `- ${ok ? 'passed' : '**failed**'}: ${name} (${duration(seconds)})`;
  const said = text.trim();
  if (said === '') return head;
  if (!said.includes('\n') && !said.includes('`')) return `${head}: ${said}`;
  // The text may contain fences, so use a longer fence.
  const fence = '`'.repeat(Math.max(2, ...(said.match(/`+/g) ?? []).map(({ length }) => length)) + 1);
  return `${head}\n\n${[fence, ...said.split('\n'), fence].map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n`;
}

function duration(seconds) {
  return seconds < 100 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(0)} min`;
}
