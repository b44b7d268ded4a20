import type { Command } from 'commander';
import { isPassing, pause } from '../../access/patience.ts';
import { CommandFailure, EXIT } from '../../frame/failures.ts';
import { duration, durationMs } from '../../frame/times.ts';
import type { Output } from '../../terminal/output.ts';
import { statusText, type WithStatus } from '../../terminal/sentences.ts';

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

/** Reads a job again until the device has answered. A service that is away meanwhile does not end it. */
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
