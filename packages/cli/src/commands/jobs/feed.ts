import { randomUUID } from 'node:crypto';
import type { Client } from '@granary/client';
import {
  MASS_UNITS,
  type MassUnit,
  type OperationRecord,
  type OperationType,
  RATE_UNITS,
  type RateUnit,
  type StartWarning,
} from '@granary/contract/operations';
import { type Command, InvalidArgumentError } from 'commander';
import { type AccessValues, accessClient, asActor, isPassing, pause } from '../../access/service-access.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { confirm } from '../../program/environment.ts';
import { CommandFailure, EXIT } from '../../program/explain.ts';
import { choice, given, positiveNumber, withAccess, withExamples } from '../../program/options.ts';
import { age, duration } from '../../program/times.ts';
import { type Field, outputOf } from '../../terminal/output.ts';
import { messageText, statusText } from '../../terminal/sentences.ts';
import { numberText } from '../devices/device-texts.ts';
import { stopOperation } from './stopping.ts';
import { operationTitle, outcomeText, progressText, titleOf } from './waiting.ts';

const MINUTE_MS = 60_000;

interface Amount {
  readonly amount: number;
  readonly unit: MassUnit;
}

interface WantedOperation extends Amount {
  readonly type: OperationType;
  readonly rate?: number;
  readonly rateUnit: RateUnit;
  readonly container?: string;
}

const LOOK_TWICE: Readonly<Record<StartWarning, string>> = {
  passes_threshold: 'it passes a threshold',
  far_above_usual: 'it is more than ten times the usual of this silo',
  longer_than_shift: 'it takes longer than a shift',
};

/** What the service expects of the operation, for the person who confirms it. The start is decided again. */
async function expectedEffect(
  client: Client,
  deviceId: string,
  { type, amount, unit, rate, rateUnit, container }: WantedOperation,
): Promise<Field[]> {
  const wanted = { type, amount, unit, rate_unit: rateUnit, ...(rate === undefined ? {} : { rate }) };
  const [{ name, capacity }, { level }, plan] = await Promise.all([
    client.devices.silo.get(deviceId),
    client.telemetry.current(deviceId),
    client.operations.plan(deviceId, wanted),
  ]);
  const contents = (percent: number): string =>
    `${numberText((percent * capacity.max) / 100)} kg, ${numberText(percent)} %`;
  const { level_before, level_after, crosses, warnings, refusal } = plan;
  return [
    ['silo', `${deviceId} (${name}), ${capacity.max} ${capacity.unit}`],
    [type, `${amount} ${unit}${container === undefined ? '' : ` into ${container}`}`],
    [
      'now',
      level_before === null
        ? 'not known'
        : `${contents(level_before)} (${level.quality}, ${age(level.timestamp)})`,
    ],
    ['after', level_after === null ? 'not known' : contents(level_after)],
    [
      'rate',
      `${numberText(plan.rate)} ${plan.rate_unit} (limit ${numberText(plan.rate_limit)} ${plan.rate_unit})`,
    ],
    ['duration', `about ${duration(plan.estimated_duration * MINUTE_MS)}`],
    ...(crosses.length === 0 ? [] : [['passes', crosses.join(', ')] as const]),
    ...(warnings.length === 0
      ? []
      : [['look twice', warnings.map((one) => LOOK_TWICE[one]).join(', ')] as const]),
    ...(refusal === null ? [] : [['refused now', messageText(refusal)] as const]),
  ];
}

const QUESTION = 'Stop it? [Y = stop, l = leave it running and quit, c = continue watching] ';
const LOOK_EVERY_MS = 500;
const START_TIME_LIMIT_MS = 10_000;
const COMPLETED: OperationRecord['status'] = 'completed';

export interface MoveOptions {
  readonly yes?: boolean;
  readonly detach?: boolean;
  readonly json?: boolean;
}

/** Shows the expected effect, asks, starts the operation once, and follows it to its end. */
export async function moveMaterial(
  client: Client,
  deviceId: string,
  wanted: WantedOperation,
  { yes, detach, json }: MoveOptions,
  environment: Environment,
): Promise<void> {
  const output = outputOf(environment, json);
  output.note(output.fields(await expectedEffect(client, deviceId, wanted)));
  await confirm('Start?', yes, environment);
  const started = await startOnce(client, deviceId, wanted, environment);
  const { operation_id: operationId } = started;
  const title = operationTitle(wanted);
  if (detach === true) {
    return output.one(started, () => `${title} has started; granary stop ${deviceId} stops it.`);
  }
  output.note(`${title} has started. Ctrl+C stops it.`);
  const interrupt = interrupts(deviceId, environment);
  try {
    const following = { client, deviceId, operationId, environment, isQuiet: output.isJson };
    const ended = await follow(
      following,
      () => interrupt.choice() !== null,
      () => interrupt.isAsking(),
    );
    const record =
      ended ??
      (interrupt.choice() === 'stop'
        ? await stopOperation(() => client, deviceId, operationId, environment)
        : null);
    if (record === null) {
      return output.one(started, () => `${title} goes on; granary stop ${deviceId} stops it.`);
    }
    output.one(record, () => outcomeText(record));
    judge(record, ended === null);
  } finally {
    interrupt.end();
  }
}

/** The key makes a repeated request start nothing twice. */
function startOnce(client: Client, deviceId: string, wanted: WantedOperation, { env }: Environment) {
  const { type, amount, unit, rate, rateUnit, container = '' } = wanted;
  const body = { amount, unit, ...(rate === undefined ? {} : { rate, rate_unit: rateUnit }) };
  const options = { idempotencyKey: randomUUID(), timeLimitMs: START_TIME_LIMIT_MS, ...asActor(env) };
  const starts = {
    feed: () => client.operations.feed(deviceId, body, options),
    discharge: () => client.operations.discharge(deviceId, { ...body, target_container: container }, options),
  };
  return starts[type]();
}

/** An operation that did not move what was wanted is no success for a script. */
function judge(record: OperationRecord, wasInterrupted: boolean): void {
  const title = titleOf(record);
  if (wasInterrupted) throw new CommandFailure(`${title} was stopped here`, { exitCode: EXIT.interrupted });
  if (record.status === COMPLETED) return;
  throw new CommandFailure(`${title} did not complete: it is ${record.status}`, { exitCode: EXIT.failed });
}

interface Following {
  readonly client: Client;
  readonly deviceId: string;
  readonly operationId: string;
  readonly environment: Environment;
  /** Without text for a person: only the result is printed. */
  readonly isQuiet: boolean;
}

/**
 * Shows how an operation goes on until it has ended or `isOver` says so. The amounts are in no event, so the record is read
 * again and again; this also survives a restart of the service, during which the device goes on.
 */
async function follow(
  { client, deviceId, operationId, environment, isQuiet }: Following,
  isOver: () => boolean,
  isPaused: () => boolean,
): Promise<OperationRecord | null> {
  const say = (text: string): void => {
    if (!isQuiet) environment.print(text);
  };
  let said = '';
  let isLost = false;
  while (!isOver()) {
    try {
      const record = await client.operations.get(deviceId, operationId);
      if (isLost) say('The service answers again.');
      isLost = false;
      if (record.ended_at !== null) return record;
      if (record.status !== said && !isPaused()) say(`${record.status}: ${statusText(record)}`);
      said = record.status;
      if (!isPaused() && !isQuiet) environment.showProgress?.(progressText(record, environment.terminal));
    } catch (failure) {
      if (!isPassing(failure)) throw failure;
      if (!isLost) say('The service does not answer; the device goes on by itself. Trying again.');
      isLost = true;
    }
    await pause(LOOK_EVERY_MS);
  }
  return null;
}

/** What the person at the terminal decided. */
type InterruptChoice = 'stop' | 'leave';

interface Interrupts {
  /** `null` while there is nothing to do but to go on. */
  choice(): InterruptChoice | null;
  isAsking(): boolean;
  end(): void;
}

/** Ctrl+C asks once; a second Ctrl+C, any unclear answer and a missing person stop. */
function interrupts(deviceId: string, { person, print }: Environment): Interrupts {
  let choice: InterruptChoice | null = null;
  let isAsking = false;
  const withdrawal = new AbortController();
  const onSignal = (): void => {
    if (person === undefined || isAsking) {
      choice = 'stop';
      return;
    }
    isAsking = true;
    print('');
    void person.ask(`${deviceId} is moving material. ${QUESTION}`, withdrawal.signal).then((answer) => {
      isAsking = false;
      choice ??= meaning(answer);
    });
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, onSignal);
  return {
    choice: () => choice,
    isAsking: () => isAsking,
    end: () => {
      withdrawal.abort();
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

function meaning(answer: string | null): InterruptChoice | null {
  const letter = answer?.trim().toLowerCase().charAt(0);
  if (letter === 'c') return null;
  return letter === 'l' ? 'leave' : 'stop';
}

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
