import { randomUUID } from 'node:crypto';
import type { Client } from '@granary/client';
import type { CommandRecord, CommandRequest } from '@granary/contract/commands';
import { asActor } from '../../access/actor.ts';
import type { Environment } from '../../frame/environment.ts';
import { EXIT } from '../../frame/exit-codes.ts';
import { CommandFailure } from '../../frame/failures.ts';
import type { Output } from '../../frame/output.ts';
import { capitalized, inWords } from '../../terminal/text.ts';
import { untilAnswered, type WaitValues } from './waiting.ts';

const SUCCEEDED: CommandRecord['status'] = 'succeeded';

/** Gives a command once, waits until the device has carried it out, and shows how it ended. */
export async function giveCommand(
  client: Client,
  deviceId: string,
  request: CommandRequest,
  { env }: Environment,
  output: Output,
  values: WaitValues,
): Promise<void> {
  const options = { idempotencyKey: randomUUID(), ...asActor(env) };
  const given = await client.commands.give(deviceId, request, options);
  const record = await untilAnswered(
    `${request.command} of ${deviceId}`,
    given,
    () => client.commands.get(deviceId, given.command_id),
    ({ ended_at }) => ended_at !== null,
    output,
    values,
  );
  const title = capitalized(inWords(record.command));
  const status = inWords(record.status);
  output.one(record, () => `${title} ${status}: ${record.status_detail}`);
  if (!values.wait || record.status === SUCCEEDED) return;
  throw new CommandFailure(
    `${title} did not succeed: it is ${status}${record.result === null ? '' : `, ${record.result.message}`}`,
    { exitCode: EXIT.failed },
  );
}
