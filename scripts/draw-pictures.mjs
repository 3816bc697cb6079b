// Draws the pictures of the documentation: docs/images/NAME.mmd (Mermaid) becomes NAME.svg.
//   node scripts/draw-pictures.mjs            writes the pictures
//   node scripts/draw-pictures.mjs --check    only reports which pictures differ from their sources
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { renderMermaidSVG } from 'beautiful-mermaid';

const folder = fileURLToPath(new URL('../docs/images/', import.meta.url));
const check = process.argv.includes('--check');
const light = { bg: '#ffffff', fg: '#24292f' };
const dark = { bg: '#0d1117', fg: '#d1d7e0' };
const accent = '#b4532a';

const outdated = [];
for (const source of readdirSync(folder).filter((name) => name.endsWith('.mmd'))) {
  const target = `${folder}${source.replace(/mmd$/, 'svg')}`;
  const picture = draw(readFileSync(`${folder}${source}`, 'utf8'));
  if (read(target) === picture) continue;
  outdated.push(source);
  if (!check) writeFileSync(target, picture);
}
if (outdated.length > 0) {
  console.log(
    check
      ? `docs/images: the pictures of ${outdated.join(', ')} are out of date\n  fix: run node scripts/draw-pictures.mjs and commit the result`
      : `docs/images: drew ${outdated.join(', ')}`,
  );
}
process.exitCode = check && outdated.length > 0 ? 1 : 0;

/** Renders a picture that follows the reader's color scheme and loads nothing from the network. */
function draw(text) {
  const svg = renderMermaidSVG(text.replace(/^%%.*\n/, '').trimStart(), { ...light, accent, transparent: true });
  return `${svg
    .replace(/<style>[\s\S]*?<\/style>/, style())
    .replace(/style="--bg:[^"]*" *>/, `role="img">\n<title>${titleOf(text)}</title>`)
    .replaceAll('auto-start-reverse', 'auto')
    .replace(/\d+\.\d{3,}/g, (digits) => String(Math.round(Number(digits) * 100) / 100))
    .trim()}\n`;
}

/** Returns the comment in the first line of a source, which is the description for screen readers. */
function titleOf(text) {
  const [, title] = /^%% (.+)$/m.exec(text) ?? [];
  if (title === undefined) throw new Error('the first line of a picture must be a comment with its title: %% …');
  return title;
}

function style() {
  return `<style>
  text { font-family: Inter, system-ui, 'Segoe UI', Helvetica, Arial, sans-serif; }
  svg { ${palette(light)} }
  @media (prefers-color-scheme: dark) { svg { ${palette(dark)} } }
</style>`;
}

/** Returns the renderer's colors as fixed values, because some viewers do not support color-mix(). */
function palette({ bg, fg }) {
  const colors = {
    bg,
    fg,
    _text: fg,
    '_text-sec': mixed(fg, bg, 0.75),
    '_text-muted': mixed(fg, bg, 0.75),
    '_text-faint': mixed(fg, bg, 0.4),
    _line: mixed(fg, bg, 0.5),
    _arrow: accent,
    '_node-fill': mixed(fg, bg, 0.04),
    '_node-stroke': mixed(fg, bg, 0.25),
    '_group-fill': bg,
    '_group-hdr': mixed(fg, bg, 0.06),
    '_inner-stroke': mixed(fg, bg, 0.15),
    '_key-badge': mixed(fg, bg, 0.1),
  };
  return Object.entries(colors)
    .map(([name, color]) => `--${name}: ${color};`)
    .join(' ');
}

function mixed(front, back, share) {
  const channels = (color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  const [a, b] = [channels(front), channels(back)];
  return `#${a
    .map((value, i) =>
      Math.round(value * share + b[i] * (1 - share))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
