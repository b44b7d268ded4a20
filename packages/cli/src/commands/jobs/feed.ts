import { MASS_UNITS, RATE_UNITS, type RateUnit } from '@granary/contract/operations';
import { type Command, InvalidArgumentError } from 'commander';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import type { Define } from '../../frame/environment.ts';
import { choice, given, positiveNumber, withAccess, withExamples } from '../../frame/options.ts';
import { type MoveOptions, moveMaterial } from './move.ts';
import type { Amount } from './plan.ts';

interface Values extends AccessValues, MoveOptions {
  readonly rate?: number;
  readonly rateUnit: RateUnit;
}

export const feed: Define = (command, environment) => {
  command.description(
    'Puts material into a silo: shows the expected effect, asks, and follows it to its end.',
  );
  withExamples(command, 'granary feed silo-01 500', 'granary feed silo-01 0.5t --rate 80 --yes');
  withMoveOptions(command).action(async (deviceId: string, amount: Amount, values: Values) => {
    const wanted = {
      type: 'feed',
      ...amount,
      rateUnit: values.rateUnit,
      ...given({ rate: values.rate }),
    } as const;
    await moveMaterial(accessClient(values, environment.env), deviceId, wanted, values, environment);
  });
};

export const discharge: Define = (command, environment) => {
  command
    .description('Takes material out of a silo: shows the expected effect, asks, and follows it to its end.')
    .requiredOption('--to <container>', 'what the material goes into');
  withExamples(
    command,
    'granary discharge silo-01 50 --to cart',
    'granary discharge silo-01 2t --to "truck 12" --rate 100 --yes',
  );
  withMoveOptions(command).action(
    async (deviceId: string, amount: Amount, values: Values & { readonly to: string }) => {
      const rate = { rateUnit: values.rateUnit, ...given({ rate: values.rate }) };
      const wanted = { type: 'discharge', ...amount, ...rate, container: values.to } as const;
      await moveMaterial(accessClient(values, environment.env), deviceId, wanted, values, environment);
    },
  );
};

const withMoveOptions = (command: Command): Command =>
  withAccess(
    command
      .argument('<device_id>')
      .argument('<amount>', `a number, in kg or with its unit (${MASS_UNITS.join(', ')})`, amountOf)
      .option('--rate <number>', 'how fast (the limit of the silo)', positiveNumber)
      .addOption(choice('--rate-unit <unit>', 'the unit of --rate', RATE_UNITS).default('kg/min'))
      .option('-y, --yes', 'do not ask')
      .option('--detach', 'do not follow it')
      .addHelpText(
        'after',
        '\nCtrl+C asks whether to stop it, and a second Ctrl+C stops it without asking. Without a terminal Ctrl+C and SIGTERM stop it.\nA closed terminal leaves it running: granary stop <device_id> stops it.',
      ),
  );

function amountOf(text: string): Amount {
  const [, number, given = 'kg'] = /^(\d+\.?\d*|\.\d+) ?([a-z]+)?$/.exec(text) ?? [];
  if (number === undefined) {
    const hint = text.includes(',')
      ? ' Write a decimal point instead of the comma, and no thousands separator.'
      : '';
    throw new InvalidArgumentError(
      `It must be a number above 0 in digits, such as 50, 0.5t or "50 kg".${hint}`,
    );
  }
  const unit = MASS_UNITS.find((one) => one === given);
  if (unit === undefined) throw new InvalidArgumentError(`The unit is one of ${MASS_UNITS.join(', ')}.`);
  return { amount: positiveNumber(number), unit };
}
