import type { Environment } from './environment.ts';
import { CommandFailure, EXIT } from './failures.ts';

const YES = /^y(es)?$/i;

/** Goes on only when a person says yes; where nobody can be asked, `--yes` has to say it. */
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
