// Discharges a silo, shows the progress, and stops on Ctrl-C: node discharge.mjs silo-01 20 "truck 12"
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, createClient, UnreachableError } from '@granary/client';

const { GRANARY_URL: baseUrl = 'http://127.0.0.1:8080', GRANARY_API_KEY: apiKey = '' } = process.env;
const [deviceId = '', amountKg = '', target = ''] = process.argv.slice(2);
if (!(Number(amountKg) > 0) || target === '') {
  console.error('usage: discharge.mjs <device id> <amount in kg> <target container>');
  process.exit(2);
}
const client = createClient({ baseUrl, apiKey });

const interrupted = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, resolve);
});

/** Repeats a stop until the service has accepted it, however long that takes. */
async function stop(operationId) {
  for (;;) {
    try {
      const { status } = await client.operations.stop(deviceId, operationId);
      return console.log(`stop accepted: ${status}`);
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      console.error(`NOT STOPPED YET: ${error.message}; use the emergency switch of the silo`);
    }
  }
}

/** Asks until the operation has ended, also while the service restarts. */
async function ended(operationId) {
  for (;;) {
    try {
      const operation = await client.operations.get(deviceId, operationId);
      console.log(
        `${operation.status}: ${operation.amount_completed ?? 'unknown'} of ${operation.amount_target} kg`,
      );
      if (operation.ended_at !== null) return operation;
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      console.error(`no answer, trying again: ${error.message}`);
    }
    await sleep(500);
  }
}

try {
  const request = { amount: Number(amountKg), unit: 'kg', target_container: target };
  const { operation_id } = await client.operations.discharge(deviceId, request, { timeLimitMs: 10_000 });
  console.log(`started ${operation_id}; Ctrl-C stops it`);
  const stopping = interrupted.then(() => stop(operation_id));
  const operation = await Promise.race([ended(operation_id), stopping.then(() => ended(operation_id))]);
  console.log(`${operation.status}: ${operation.status_detail}`);
  process.exit(operation.status === 'completed' ? 0 : 1);
} catch (error) {
  if (error instanceof UnreachableError && error.mayBeDone) {
    console.error('no answer: the discharge MAY HAVE STARTED; look at the silo and at its operations');
  }
  if (error instanceof ApiError) console.error(`refused: ${error.message} (${error.code})`);
  else console.error(error.message);
  process.exit(1);
}
