import type { Command } from 'commander';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';

/** The words that can follow a command. */
interface Words {
  /** The command's words after the program's name, joined by spaces. */
  readonly path: string;
  readonly words: readonly string[];
}

const shells = ['bash', 'zsh', 'fish'] as const;

/** Adds `completion SHELL`, which prints a script that completes commands and flags. */
export function addCompletion(program: Command, { reporter }: Context): void {
  program
    .command('completion')
    .description('print a script that completes commands and flags')
    .argument('<SHELL>', shells.join(', '))
    .addHelpText(
      'after',
      '\nFor this shell:  source <(kubewright completion bash)\nfish:            kubewright completion fish | source',
    )
    .action((shell: string) => {
      const table = completions(program);
      const script = scripts[shell as keyof typeof scripts];
      if (script === undefined) {
        throw new CliError('KW7001', {
          what: `there is no completion for ${shell}`,
          why: `it is made for ${shells.join(', ')}`,
          remedy: 'kubewright completion bash',
        });
      }
      const text = script(table);
      reporter.result({ shell, script: text }, text);
    });
}

/** Returns the completions of the last word of a line, for the deepest command that the line names. */
export function completionsOf(program: Command, line: readonly string[]): readonly string[] {
  const named = line.slice(0, -1).filter((word) => !word.startsWith('-'));
  const fits = ({ path }: Words): boolean => `${named.join(' ')} `.startsWith(path === '' ? '' : `${path} `);
  const deepestFirst = completions(program).sort((a, b) => b.path.length - a.path.length);
  const words = deepestFirst.find(fits)?.words ?? [];
  return words.filter((word) => word.startsWith(line.at(-1) ?? ''));
}

/** Returns every command with the words that can follow it. */
function completions(command: Command, path: readonly string[] = []): Words[] {
  const flags = command.options.map(({ long, short }) => long ?? short ?? '').filter(Boolean);
  const below = command.commands.map((each) => each.name());
  const shellNames = command.name() === 'completion' ? shells : [];
  const words = [...below, ...shellNames, ...flags, ...(path.length > 0 ? ['--json'] : []), '--help'];
  const own = { path: path.join(' '), words };
  return [own, ...command.commands.flatMap((each) => completions(each, [...path, each.name()]))];
}

const scripts = {
  bash: (table: readonly Words[]): string => `# bash completion for kubewright
_kubewright() {
  local current=\${COMP_WORDS[COMP_CWORD]} path= word words=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
${cases(table)}
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _kubewright kubewright
`,
  zsh: (table: readonly Words[]): string => `#compdef kubewright
_kubewright() {
  local path= word words_=
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
${cases(table).replaceAll('words=', 'words_=')}
  compadd -- \${=words_}
}
compdef _kubewright kubewright
`,
  fish: (table: readonly Words[]): string => {
    const lines = table.map(({ path, words }) => {
      const at = path === '' ? '"$path" = ""' : `"$path" = ${JSON.stringify(path)}`;
      return `  test ${at}; and printf '%s\\n' ${words.join(' ')}`;
    });
    return `# fish completion for kubewright
function __kubewright_words
  set -l tokens (commandline -opc)
  set -l path (string join ' ' -- (string match -v -- '-*' $tokens[2..]))
${lines.join('\n')}
end
complete -c kubewright -f -a '(__kubewright_words)'
`;
  },
} as const;

/** Returns shell lines that set `words` from `path`, for the deepest command that the line names. */
function cases(table: readonly Words[]): string {
  const deepestFirst = [...table].sort((a, b) => b.path.length - a.path.length);
  const branches = deepestFirst.map(({ path, words }) => {
    const pattern = path === '' ? "''" : `'${path}'|'${path} '*`;
    return `    ${pattern}) words='${words.join(' ')}' ;;`;
  });
  return `  case "$path" in\n${branches.join('\n')}\n  esac`;
}
