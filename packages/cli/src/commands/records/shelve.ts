import { ApiError, type Client } from '@granary/client';
import type { FleetAlert } from '@granary/contract/fleet';
import { asActor, personName } from '../../access/actor.ts';
import { findDevice } from '../../access/find-device.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import type { Define } from '../../frame/define.ts';
import { given, withAccess, withExamples } from '../../frame/options.ts';
import { outputOf } from '../../frame/output.ts';
import { durationMs } from '../../frame/times.ts';

interface Values extends AccessValues {
  readonly for: number;
  readonly reason: string;
  readonly by?: string;
}

export const shelve: Define = (command, environment) => {
  command
    .argument('<alert_id>')
    .description('Takes an open alert out of the usual list for a while; its state goes on.')
    .requiredOption('--for <duration>', 'how long: 30m, 12h, 2d, …', durationMs)
    .requiredOption('--reason <text>', 'why')
    .option('--by <name>', 'who decides it (GRANARY_ACTOR, or the name of the user)');
  withExamples(command, 'granary shelve al_019a86c5f3c07b2a --for 12h --reason "The part is ordered."');
  withAccess(command).action(async (alertId: string, values: Values) => {
    const { env } = environment;
    const client = accessClient(values, env);
    const { device_id, group } = await deviceOfAlert(client, alertId);
    const until = new Date(Date.now() + values.for).toISOString();
    const wanted = { until, reason: values.reason, ...given({ shelved_by: values.by ?? personName(env) }) };
    const alert = await client.alerts[group].shelve(device_id, alertId, wanted, asActor(env));
    outputOf(environment, values.json).one(
      alert,
      () => `${alertId} (${device_id}) is shelved until ${until}.`,
    );
  });
};

export const unshelve: Define = (command, environment) => {
  command.argument('<alert_id>').description('Puts a shelved alert back into the usual list.');
  withExamples(command, 'granary unshelve al_019a86c5f3c07b2a');
  withAccess(command).action(async (alertId: string, values: AccessValues) => {
    const { env } = environment;
    const client = accessClient(values, env);
    const { device_id, group } = await deviceOfAlert(client, alertId);
    const alert = await client.alerts[group].unshelve(device_id, alertId, asActor(env));
    outputOf(environment, values.json).one(
      alert,
      () => `${alertId} (${device_id}) is in the usual list again.`,
    );
  });
};

async function deviceOfAlert(client: Client, alertId: string) {
  for (const status of ['open', 'shelved'] as const) {
    const found = await firstWith(client.fleet.alertsAll({ status }), alertId);
    if (found !== undefined) return await findDevice(client, found.device_id);
  }
  const message = `there is no open alert "${alertId}", or the key may not see its device`;
  throw new ApiError({ status: 404, code: 'alert_not_found', message });
}

async function firstWith(
  alerts: AsyncIterable<FleetAlert>,
  alertId: string,
): Promise<FleetAlert | undefined> {
  for await (const alert of alerts) if (alert.alert_id === alertId) return alert;
  return undefined;
}
