import type { OperationRecord } from '@granary/contract/operations';
import type { Command } from 'commander';
import { isPassing, pause } from '../../access/service-access.ts';
import type { TerminalTraits } from '../../program/environment.ts';
import { CommandFailure, EXIT } from '../../program/explain.ts';
import { duration, durationMs } from '../../program/times.ts';
import type { Output } from '../../terminal/output.ts';
import { progressBar } from '../../terminal/progress.ts';
import { messageText, statusText, type WithStatus } from '../../terminal/sentences.ts';
import { capitalized } from '../../terminal/text.ts';
import { numberText } from '../devices/device-texts.ts';

/** One line for a terminal, cut to its width: a bar, the amounts, and the status in words. */
export function progressText(record: OperationRecord, terminal: TerminalTraits): string {
  const { progress, amount_completed, amount_target, unit, status } = record;
  const share = Math.min(1, Math.max(0, (progress ?? 0) / 100));
  const done = amount_completed === null ? 'unknown' : numberText(amount_completed);
  const amounts =
    amount_target === null ? `${done} ${unit}` : `${done} of ${numberText(amount_target)} ${unit}`;
  return progressBar(share, `${Math.round(share * 100)} % ${amounts} ${status}`, terminal);
}

interface Named {
  readonly type: OperationRecord['type'];
  readonly amount: number | null;
  readonly unit: string;
  readonly container?: string | null | undefined;
}

/** The title of an operation, such as `Discharge 300 kg into Cart`. */
export function operationTitle({ type, amount, unit, container }: Named): string {
  const kind = capitalized(type ?? 'operation');
  const into = container === undefined || container === null ? '' : ` into ${container}`;
  return `${kind}${amount === null ? '' : ` ${numberText(amount)} ${unit}`}${into}`;
}

export const titleOf = ({ type, amount_target, unit, target_container }: OperationRecord): string =>
  operationTitle({ type, amount: amount_target, unit, container: target_container });

/** The end of an operation in one sentence. */
export function outcomeText(record: OperationRecord): string {
  const { status, amount_completed, measured_amount, unit, failure } = record;
  const measured = measured_amount === null ? '' : `, ${numberText(measured_amount)} ${unit} measured`;
  const reported =
    amount_completed === null
      ? 'moved amount not reported'
      : `${numberText(amount_completed)} ${unit} reported`;
  const text = `${titleOf(record)} ${status}: ${reported}${measured}`;
  return failure === null ? text : `${text}; ${messageText(failure)}`;
}

export interface WaitValues {
  readonly wait: boolean;
  readonly timeout?: number;
}

const LOOK_EVERY_MS = 500;

/** The options of a command that waits for the device. */
export const withWaiting = (command: Command, until: string): Command =>
  command
    .option('--no-wait', `end when the service has sent it, without waiting ${until}`)
    .option(
      '--timeout <duration>',
      'end after 30s, 5m, … without the answer of the device: exit code 1',
      durationMs,
    )
    .addHelpText(
      'after',
      `\nIt waits ${until}. Exit codes: 0 confirmed (with --no-wait: sent), 1 not carried out or not confirmed in time, 3 refused by the service.`,
    );

interface Job extends WithStatus {
  readonly status: string;
}

/** Reads a job again until the device has answered. It continues while the service does not answer. */
export async function untilAnswered<Record extends Job>(
  what: string,
  first: Record,
  read: () => Promise<Record>,
  isAnswered: (record: Record) => boolean,
  output: Output,
  { wait, timeout = Number.POSITIVE_INFINITY }: WaitValues,
): Promise<Record> {
  const deadlineMs = performance.now() + timeout;
  let record = first;
  let said = '';
  const say = (text: string): void => {
    if (text !== said) output.note(text);
    said = text;
  };
  while (wait && !isAnswered(record)) {
    say(`${record.status}: ${statusText(record)}`);
    if (performance.now() >= deadlineMs) throw notAnswered(what, record, timeout);
    await pause(LOOK_EVERY_MS);
    try {
      record = await read();
    } catch (failure) {
      if (!isPassing(failure) || !(failure instanceof Error)) throw failure;
      say(`${failure.message}; asking again`);
    }
  }
  return record;
}

const notAnswered = (what: string, job: Job, timeoutMs: number): CommandFailure =>
  new CommandFailure(
    `${what} is NOT CONFIRMED after ${duration(timeoutMs)}: ${job.status}, ${statusText(job)}`,
    {
      exitCode: EXIT.failed,
      cure: 'It is in force in the service, and the device may still carry it out.',
    },
  );
