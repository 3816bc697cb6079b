/**
 * The text of docs/proof.md. A result is `{ name, seconds, ok, text }`, or `{ name, isSkipped: true }`; one line of text stands
 * beside the name, more in a block of its own.
 */
export function reportOf({ date, commit, versions, results }) {
  const failed = results.filter(({ ok, isSkipped }) => !ok && !isSkipped).length;
  const skipped = results.filter(({ isSkipped }) => isSkipped).length;
  const passed = results.length - failed - skipped;
  const counts = [`${passed} passed`, `${failed} failed`, `${skipped} not run this time`].join(', ');
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

/** Takes out what belongs to one machine or must not be known: folders, and whatever looks like a token or a key. */
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
  if (isSkipped) return `- not run this time: ${name}`;
  const head = `- ${ok ? 'passed' : '**failed**'}: ${name} (${duration(seconds)})`;
  const said = text.trim();
  if (said === '') return head;
  if (!said.includes('\n') && !said.includes('`')) return `${head}: ${said}`;
  // What is said may have fences of its own.
  const fence = '`'.repeat(Math.max(2, ...(said.match(/`+/g) ?? []).map(({ length }) => length)) + 1);
  return `${head}\n\n${[fence, ...said.split('\n'), fence].map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n`;
}

function duration(seconds) {
  return seconds < 100 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(0)} min`;
}
