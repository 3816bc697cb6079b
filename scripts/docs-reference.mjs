// Writes the generated part of the documentation into a folder: the command-line help, the error codes, the log events,
// and the exports of each package with their comments. `npm run docs` calls this script; to run it separately: node
// scripts/docs-reference.mjs FOLDER
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { apiPage } from './docs/api-page.mjs';
import { commandsOf } from './docs/commands.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Writes the pages below `reference/` of a folder; the packages must have been built. */
export async function writeReference(folder) {
  const api = join(folder, 'reference', 'api');
  mkdirSync(api, { recursive: true });
  writeFileSync(join(folder, 'reference', 'command-line.md'), await commandPage());
  writeFileSync(join(folder, 'reference', 'error-codes.md'), errorPage());
  writeFileSync(join(folder, 'reference', 'log-events.md'), eventPage());
  for (const name of readdirSync(join(root, 'packages'))) writeFileSync(join(api, `${name}.md`), apiPage(root, name));
}

async function commandPage() {
  const { runCli } = await import(pathToFileURL(join(root, 'packages/cli/dist/index.js')).href);
  const [program, ...commands] = await commandsOf(runCli);
  const always = new Set(['-h, --help', '-V, --version']);
  const sections = commands
    .filter((command) => command.commands.length === 0)
    .map(({ words, usage, description, arguments: parameters, options }) => {
      const flags = options.filter(({ term }) => !always.has(term));
      const parts = [
        `## kubewright ${words.join(' ')}`,
        sentence(description),
        `\`\`\`sh\n${usage}\n\`\`\``,
        table(['argument', ''], parameters),
        table(['flag', ''], flags),
      ];
      return parts.filter(Boolean).join('\n\n');
    });
  const intro = `${sentence(program.description)} This page lists all commands with their flags. \`--json\` anywhere on a command line writes
JSON records, one per line.`;
  const next = nextSteps(
    '[The package](../packages/cli.md) describes projects, exit codes and errors.',
    '[Commands](./commands.md) compares these commands with those of kubebuilder and operator-sdk.',
  );
  return `${['# The command line', intro, ...sections, next].join('\n\n')}\n`;
}

function errorPage() {
  const source = readFileSync(join(root, 'packages/cli/src/explain/generated/error-codes.ts'), 'utf8');
  const codes = [...source.matchAll(/^ {2}(\{.*\}),$/gm)].map(([, entry]) => JSON.parse(entry));
  const packageOf = ({ source: from }) => from.replace(/^.* of /, '');
  const sections = [...new Set(codes.map(packageOf))].map((name) => {
    const own = codes.filter((code) => packageOf(code) === name);
    return [
      `## ${name}`,
      ...own.map(({ code, text, source: from }) => `### ${code}\n\n${escaped(text)}\n\n\`${from}\``),
    ];
  });
  const intro =
    'This page lists the codes of all errors, by package. `kubewright explain CODE` prints the same texts offline.';
  const next = nextSteps('[Troubleshoot by symptom](../how-to/troubleshoot.md) has the remedies of common errors.');
  return `${['# Error codes', intro, ...sections.flat(), next].join('\n\n')}\n`;
}

function eventPage() {
  const intro = `This page lists the ids of log records. JSON logs have the id of each record in the field \`event\`. An id never changes its
meaning, but messages may be reworded, so match on ids in alerting rules. Records of errors also have the fields \`code\`, \`what\`, \`why\`
and \`remedy\`. Human-readable logs omit the ids.`;
  const operators = eventsIn('packages/runtime/src/log/log-events.ts');
  const cluster = [
    ...eventsIn('packages/controlplane/src/log/cluster-log-events.ts'),
    ...eventsIn('packages/cli/src/cluster/cli-log-events.ts'),
  ];
  const first = ['## Operators', table(['event', ''], operators)];
  const second = ['## Embedded cluster', table(['event', ''], cluster)];
  const next = nextSteps('[Develop an operator](../how-to/develop.md#read-the-log) explains the readable log.');
  return `${['# Log events', intro, ...first, ...second, next].join('\n\n')}\n`;
}

/** Returns the section with which every page ends. */
function nextSteps(...links) {
  return ['## Where to go next', links.map((link) => `- ${link}`).join('\n')].join('\n\n');
}

/** Returns the event ids in a file of log events, with their comments. */
function eventsIn(path) {
  const source = readFileSync(join(root, path), 'utf8');
  return [...source.matchAll(/^ {2}\/\*\* (.*) \*\/\n {2}\w+: '([^']+)',$/gm)].map(([, text, term]) => ({
    term,
    text,
  }));
}

function table([first, second], entries) {
  if (entries.length === 0) return '';
  const rows = entries.map(({ term, text }) => `| \`${term}\` | ${escaped(text).replaceAll('|', '\\|')} |`);
  return [`| ${first} | ${second} |`, '|---|---|', ...rows].join('\n');
}

function sentence(text) {
  return escaped(`${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace(/\.?$/, '.'));
}

/** Escapes plain text for use in Markdown. */
function escaped(text) {
  return text.replaceAll('<', '&lt;').replaceAll('{{', '&#123;{');
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const status = await build(() => {});
  if (status === 0) await writeReference(resolve(process.argv[2] ?? join(root, '.site/pages')));
  process.exitCode = status;
}
