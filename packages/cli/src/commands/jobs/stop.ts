import { ApiError, type Client } from '@granary/client';
import type { DeviceGroup } from '@granary/contract/profiles/groups';
import { findDevice } from '../../access/find-device.ts';
import { type AccessValues, asActor, isPassing, repeatingClient } from '../../access/service-access.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { withAccess, withExamples } from '../../program/options.ts';
import { durationMs } from '../../program/times.ts';
import { outputOf } from '../../terminal/output.ts';
import { statusText } from '../../terminal/sentences.ts';
import { repeatUntilConfirmed, stopOperation } from './stopping.ts';
import { outcomeText } from './waiting.ts';

interface Values extends AccessValues {
  readonly timeout?: number;
}

interface Stopped {
  readonly records: readonly unknown[];
  readonly text: string;
}

const RUNNING_MAX = 20;
const EMERGENCY_STOP = { command: 'emergency_stop' } as const;

export const stop: Define = (command, environment) => {
  command
    .argument('<device_id>')
    .argument('[operation_id]', 'only this one, which needs no search for what runs')
    .description(
      'Stops what moves, without a question. A silo: every operation that has not ended. A field device: an emergency stop, which stays in force until granary release. The stop is repeated until the device has confirmed it.',
    )
    .option(
      '--timeout <duration>',
      'end after 30s, 5m, … without the confirmation: exit code 1, or 4 if the service did not answer',
      durationMs,
    );
  withExamples(command, 'granary stop silo-01', 'granary stop rover-01 --timeout 30s');
  withAccess(command).action(async (deviceId: string, operationId: string | undefined, values: Values) => {
    const connect = () => repeatingClient(values, environment.env);
    const limits = { timeoutMs: values.timeout };
    const group = operationId === undefined ? await groupOf(connect, deviceId, environment, values) : 'silo';
    const stops: Readonly<Record<DeviceGroup, () => Promise<Stopped>>> = {
      silo: async () => {
        const ids =
          operationId === undefined ? await runningOn(connect, deviceId, environment, values) : [operationId];
        const records = await Promise.all(
          ids.map((id) => stopOperation(connect, deviceId, id, environment, limits)),
        );
        return { records, text: records.map(outcomeText).join('\n') || `Nothing runs on ${deviceId}.` };
      },
      field: () => emergencyStop(connect, deviceId, environment, values),
    };
    const { records, text } = await stops[group]();
    outputOf(environment, values.json).one(records, () => text);
  });
};

/**
 * The group of the device; without a known one an emergency stop is sent, which is the only way to stop a field device while
 * the storage does not answer.
 */
async function groupOf(
  connect: () => Client,
  deviceId: string,
  environment: Environment,
  { timeout }: Values,
): Promise<DeviceGroup> {
  const find = async (): Promise<DeviceGroup> => {
    const client = connect();
    try {
      return (await findDevice(client, deviceId)).group;
    } catch (failure) {
      if (!isPassing(failure)) throw failure;
      await client.commands
        .give(deviceId, EMERGENCY_STOP, asActor(environment.env))
        .catch((refusal: unknown) => {
          throw refusal instanceof ApiError && refusal.code === 'device_not_found' ? failure : refusal;
        });
      return 'field';
    }
  };
  return await repeatUntilConfirmed(`The stop of ${deviceId}`, find, () => true, environment, {
    timeoutMs: timeout,
  });
}

async function runningOn(
  connect: () => Client,
  deviceId: string,
  environment: Environment,
  { timeout }: Values,
) {
  const { data } = await repeatUntilConfirmed(
    `The stop of ${deviceId}`,
    () => connect().operations.list(deviceId, { limit: RUNNING_MAX }),
    () => true,
    environment,
    { timeoutMs: timeout },
  );
  return data.filter(({ ended_at }) => ended_at === null).map(({ operation_id }) => operation_id);
}

/** Repeats an emergency stop until the service has accepted it; from then on the service itself repeats it. */
async function emergencyStop(
  connect: () => Client,
  deviceId: string,
  environment: Environment,
  { timeout }: Values,
): Promise<Stopped> {
  let commandId: string | null = null;
  const record = await repeatUntilConfirmed(
    `The emergency stop of ${deviceId}`,
    async () => {
      const answer =
        commandId === null
          ? await connect().commands.give(deviceId, EMERGENCY_STOP, asActor(environment.env))
          : await connect().commands.get(deviceId, commandId);
      commandId = answer.command_id;
      return answer;
    },
    ({ ended_at }) => ended_at !== null,
    environment,
    { timeoutMs: timeout },
  );
  const text = `${deviceId} stands still: the emergency stop is confirmed, and in force until granary release ${deviceId}.`;
  return { records: [record], text: record.declared === null ? text : statusText(record) };
}
