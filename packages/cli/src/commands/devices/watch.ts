import type { Command } from 'commander';
import { findDevice } from '../../access/find-device.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import type { Environment } from '../../frame/environment.ts';
import { positiveNumber, withAccess, withExamples } from '../../frame/options.ts';
import { outputOf } from '../../frame/output.ts';
import { readingText } from './device-texts.ts';

interface Values extends AccessValues {
  readonly interval: number;
  readonly count?: number;
}

const INTERVAL_DEFAULT_S = 5;

export function defineWatch(command: Command, environment: Environment): void {
  command
    .argument('<device_id>')
    .description('Prints the newest values of a device again and again, until Ctrl+C.')
    .option('--interval <seconds>', 'time between two lines', positiveNumber, INTERVAL_DEFAULT_S)
    .option('--count <lines>', 'end after so many lines', positiveNumber);
  withExamples(
    command,
    'granary device watch silo-01',
    'granary device watch rover-01 --interval 1 --count 10 --json',
  );
  withAccess(command).action(
    async (deviceId: string, { interval, count = Number.POSITIVE_INFINITY, ...values }: Values) => {
      const client = accessClient(values, environment.env);
      const output = outputOf(environment, values.json);
      for (let line = 1; line <= count; line++) {
        const { status, readings = {} } = await findDevice(client, deviceId);
        const at = new Date().toISOString();
        output.item({ at, device_id: deviceId, status, readings }, () => {
          const texts = Object.entries(readings).map(
            ([sensor, reading]) => `${sensor} ${readingText(reading)}`,
          );
          return [at.slice(11, 19), status, ...texts].join('  ');
        });
        if (line < count) await new Promise((resolve) => setTimeout(resolve, interval * 1_000));
      }
    },
  );
}
