/** The shells with a completion script. */
export const shells = ['bash', 'zsh', 'fish'] as const;

/** The words that can follow a command. */
export interface CommandWords {
  /** The command's words after the program's name, joined by spaces. */
  readonly path: string;
  readonly words: readonly string[];
}

/** Returns the completion script of each shell, for a table of the words that can follow each command. */
export const scripts = {
  bash: (table: readonly CommandWords[]): string => `# bash completion for kubewright
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
  zsh: (table: readonly CommandWords[]): string => `#compdef kubewright
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
  fish: (table: readonly CommandWords[]): string => {
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
function cases(table: readonly CommandWords[]): string {
  const deepestFirst = [...table].sort((a, b) => b.path.length - a.path.length);
  const branches = deepestFirst.map(({ path, words }) => {
    const pattern = path === '' ? "''" : `'${path}'|'${path} '*`;
    return `    ${pattern}) words='${words.join(' ')}' ;;`;
  });
  return `  case "$path" in\n${branches.join('\n')}\n  esac`;
}
