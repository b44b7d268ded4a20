import { Argument, type Command } from 'commander';
import type { Define } from '../../program/environment.ts';
import { withExamples } from '../../program/options.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** A place in the command tree, and the words that may follow there. */
interface Place {
  /** The path of commands, such as `granary device`. */
  readonly path: string;
  readonly words: readonly string[];
  /** True when a file name may follow: at a command without others below it. */
  readonly mayTakeFile: boolean;
}

export const completionScript = (program: Command, shell: Shell): string => SCRIPTS[shell](placesOf(program));

function placesOf(command: Command, before = ''): Place[] {
  const names = [command.name(), ...command.aliases()];
  const children = command.createHelp().visibleCommands(command);
  const words = [
    ...children.flatMap((child) => [child.name(), ...child.aliases()]),
    ...command
      .createHelp()
      .visibleOptions(command)
      .flatMap(({ long }) => (long === undefined ? [] : [long])),
  ];
  return names.flatMap((name) => {
    const path = before === '' ? name : `${before} ${name}`;
    return [
      { path, words, mayTakeFile: children.length === 0 },
      ...children.flatMap((child) => placesOf(child, path)),
    ];
  });
}

const cases = (places: readonly Place[]): string =>
  places.map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`).join('\n');

const bash = (places: readonly Place[]): string => `# source <(granary completion bash)
_granary() {
  local path='granary' words='' word index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "$path $word" in
${places.map(({ path }) => `      '${path}') path='${path}' ;;`).join('\n')}
    esac
  done
  case "$path" in
${cases(places)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _granary granary`;

const zsh = (places: readonly Place[]): string => `#compdef granary
# source <(granary completion zsh)
_granary() {
  local path_='granary' words_='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$path_ $word" in
${places.map(({ path }) => `      '${path}') path_='${path}' ;;`).join('\n')}
    esac
  done
  case "$path_" in
${cases(places).replaceAll(" words='", " words_='")}
  esac
  compadd -- \${=words_} || _files
}
compdef _granary granary`;

const fish = (places: readonly Place[]): string =>
  [
    '# granary completion fish | source',
    'function __granary_path',
    '  set -l path granary',
    '  for word in (commandline -opc)[2..-1]',
    '    switch "$path $word"',
    `      case ${places.map(({ path }) => `'${path}'`).join(' ')}`,
    '        set path "$path $word"',
    '    end',
    '  end',
    '  echo $path',
    'end',
    ...places.map(
      ({ path, words, mayTakeFile }) =>
        `complete -c granary${mayTakeFile ? '' : ' -f'} -n "test (__granary_path) = '${path}'" -a '${words.join(' ')}'`,
    ),
  ].join('\n');

const SCRIPTS: Readonly<Record<Shell, (places: readonly Place[]) => string>> = { bash, zsh, fish };

/** The program is complete here, because the table of commands says that this command needs all others. */
export const completion: Define = (command, environment) => {
  command
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .description('Prints a script that completes commands and options in a shell.')
    .action((shell: Shell) => {
      if (command.parent !== null) environment.print(completionScript(command.parent, shell));
    });
  withExamples(
    command,
    'source <(granary completion bash)',
    'granary completion zsh > ~/.zfunc/_granary',
    'granary completion fish > ~/.config/fish/completions/granary.fish',
  );
};
