const charWidth = 8.4;
const lineHeight = 20;
const padding = 16;
const bar = 32;

const theme = {
  '': '#d6deeb',
  bold: '#ffffff',
  faint: '#7f8c98',
  red: '#ef6b73',
  green: '#7fd88f',
  yellow: '#f5c76e',
  blue: '#82aaff',
  cyan: '#7fdbca',
};

/**
 * Draws terminal lines as an SVG in which each line appears at its recorded time. Viewers that prefer reduced motion
 * see only the final state.
 *
 * @param {readonly { atMs: number, spans: readonly { text: string, style: string }[] }[]} lines
 * @param {{ title: string, columns: number }} options
 */
export function svgOf(lines, { title, columns }) {
  const width = Math.ceil(columns * charWidth + 2 * padding);
  const height = bar + lines.length * lineHeight + 2 * padding;
  const rows = lines.map(({ atMs, spans }, row) => {
    const y = bar + padding + (row + 0.75) * lineHeight;
    const text = spans.map(({ text, style }) => `<tspan fill="${theme[style]}">${escaped(text)}</tspan>`).join('');
    return `<text x="${padding}" y="${y}" style="animation-delay:${(atMs / 1000).toFixed(2)}s">${text}</text>`;
  });
  const dots = ['#ef6b73', '#f5c76e', '#7fd88f'].map(
    (fill, index) => `<circle cx="${padding + 4 + index * 18}" cy="${bar / 2}" r="5" fill="${fill}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    '<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;opacity:0;animation:show 1ms forwards}',
    '@keyframes show{to{opacity:1}}@media (prefers-reduced-motion:reduce){text{opacity:1;animation:none}}</style>',
    `<rect width="${width}" height="${height}" rx="8" fill="#1b2330"/>`,
    ...dots,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

/** Shortens long pauses, so that people watch the recording to the end. */
export function withoutPauses(lines, longestMs) {
  let cut = 0;
  let last = 0;
  return lines.map((line) => {
    cut += Math.max(0, line.atMs - last - longestMs);
    last = Math.max(last, line.atMs);
    return { ...line, atMs: line.atMs - cut };
  });
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
