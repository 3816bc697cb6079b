// Reads the commands and flags of the command line from its `--help`.

/** Returns every command with its help, the program itself first. */
export async function commandsOf(runCli) {
  const found = [];
  const visit = async (words) => {
    const help = parseHelp(await helpOf(runCli, words));
    found.push({ words, ...help });
    for (const { term } of help.commands.filter(({ term }) => !term.startsWith('help ')))
      await visit([...words, term.split(/[ |]/)[0]]);
  };
  await visit([]);
  return found;
}

async function helpOf(runCli, words) {
  let text = '';
  const ignored = { write: () => true };
  const stdout = { write: (more) => (text += more) };
  const around = { program: ['node', 'kubewright'], env: {}, cwd: '/', colors: false, interactive: false };
  const signal = new AbortController().signal;
  await runCli({ ...around, args: [...words, '--help'], stdout, stderr: ignored, signal });
  return text;
}

/** Parses the output of `--help`: usage, description, and the entries of its sections. */
function parseHelp(text) {
  const [, usage = '', rest = ''] = /^Usage: (.*)\n([\s\S]*)$/.exec(text) ?? [];
  const sections = rest.split(/^(Arguments|Options|Commands):\n/m);
  const entries = (name) => {
    const at = sections.indexOf(name);
    return at === -1 ? [] : entriesOf(sections[at + 1]);
  };
  return {
    usage,
    description: sections[0].trim().replace(/\s*\n\s*/g, ' '),
    arguments: entries('Arguments'),
    options: entries('Options'),
    commands: entries('Commands'),
  };
}

function entriesOf(section) {
  const entries = [];
  for (const line of section.split('\n')) {
    const [, term, text = ''] = /^ {2}(\S(?:.*?\S)?)(?: {2,}(.*))?$/.exec(line) ?? [];
    if (term) entries.push({ term, text });
    // Deeper-indented lines continue the description; an unindented line ends the section.
    else if (/^ {4}/.test(line) && entries.length > 0)
      entries.at(-1).text = `${entries.at(-1).text} ${line.trim()}`.trim();
    else if (/^\S/.test(line)) break;
  }
  return entries;
}
