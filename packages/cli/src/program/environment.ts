import type { Command } from 'commander';
import { CommandFailure, EXIT } from './explain.ts';

const YES = /^y(es)?$/i;

/** Continues only when a person says yes; if nobody can be asked, `--yes` has to say it. */
export async function confirm(
  question: string,
  isAgreed: boolean | undefined,
  { person }: Environment,
): Promise<void> {
  if (isAgreed === true) return;
  if (person === undefined) {
    const cure = 'Add --yes to do it without a question.';
    throw new CommandFailure('this needs a confirmation, and there is no terminal to ask', {
      exitCode: EXIT.declined,
      cure,
    });
  }
  const answer = await person.ask(`${question} [y/N] `);
  if (answer === null || !YES.test(answer.trim()))
    throw new CommandFailure('nothing was done', { exitCode: EXIT.declined });
}

export interface TerminalTraits {
  /** The width; `null` if the output is not a terminal: then nothing is fitted to a width. */
  readonly columns: number | null;
  readonly hasColour: boolean;
  /** True when signs beyond ASCII can be shown. */
  readonly isUtf8: boolean;
}

/** A person who can be asked; an answer of `null` means that the input has ended. */
export interface Person {
  /** Asks a question; the signal withdraws it. */
  ask(question: string, signal?: AbortSignal): Promise<string | null>;
  /** Asks for a secret, and does not show what is typed. */
  askSecret(question: string): Promise<string | null>;
}

/** What a command uses of its process; tests pass their own. */
export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: TerminalTraits;
  readonly print: (line: string) => void;
  /** Waits until the reader has taken the printed output, so that a long output does not fill the memory. */
  readonly taken: () => Promise<void>;
  readonly printError: (line: string) => void;
  /** Replaces the line of progress; missing if the output is not a terminal. */
  readonly showProgress?: (text: string) => void;
  /** Missing if the input or the output of questions is not a terminal. */
  readonly person?: Person;
  readonly readInput: () => Promise<string>;
  /** Lets the command continue its work after the reader of its output has left. */
  readonly surviveClosedOutput: () => void;
}

/** Each file in `commands/` exports one of these; it adds arguments, options, help and the action to its command. */
export type Define = (command: Command, environment: Environment) => void;
