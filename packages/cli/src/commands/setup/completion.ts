import { Argument } from 'commander';
import { completionScript, SHELLS, type Shell } from '../../completion/completion.ts';
import type { Define } from '../../frame/define.ts';
import { withExamples } from '../../frame/options.ts';

/** The program is complete here, because the table of commands says that this command needs all of them. */
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
