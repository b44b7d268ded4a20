import type { Client } from '@granary/client';
import type { OperationRecord } from '@granary/contract/operations';
import { isPassing, pause } from '../../access/patience.ts';
import type { Environment } from '../../frame/environment.ts';
import { progressText } from './operation-progress.ts';

const LOOK_EVERY_MS = 500;

export interface Following {
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
export async function follow(
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
      if (record.status !== said && !isPaused()) say(`${record.status}: ${record.status_detail}`);
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
