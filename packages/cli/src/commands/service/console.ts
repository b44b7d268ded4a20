import { signInFragment } from '@granary/contract/session';
import { type AccessValues, accessClient, personName, serviceAccess } from '../../access/service-access.ts';
import type { Define } from '../../program/environment.ts';
import { wholeNumber, withAccess, withExamples } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';

interface Values extends AccessValues {
  readonly minutes: number;
}

const MINUTES_DEFAULT = 10;

export const consoleLink: Define = (command, environment) => {
  command
    .description(
      "Prints a link to the operators' page that signs one browser in with the rights of your key. It works once. Open it on the machine that shall show the page; the key itself stays here.",
    )
    .option(
      '--minutes <n>',
      'how long the link can be used, at most a day (1440)',
      wholeNumber,
      MINUTES_DEFAULT,
    );
  withExamples(command, 'granary console', 'granary console --minutes 60', 'granary console --json');
  withAccess(command).action(async (values: Values) => {
    const { baseUrl } = serviceAccess(values, environment.env);
    const { code, expires_at } = await accessClient(values, environment.env).session.createCode({
      valid_seconds: values.minutes * 60,
    });
    const account = personName(environment.env);
    const url = `${baseUrl.replace(/\/+$/, '')}/${signInFragment(code, account)}`;
    outputOf(environment, values.json).one(
      { url, expires_at },
      () => `${url}\nIt signs in once, until ${expires_at}.`,
    );
  });
};
