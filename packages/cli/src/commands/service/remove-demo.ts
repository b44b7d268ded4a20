import { join } from 'node:path';
import { readSecrets } from '@granary/bridge/site/secrets';
import { ApiError, type Client, createClient } from '@granary/client';
import { SIMULATED_LABEL } from '@granary/contract/devices/label-match';
import type { FleetDevice } from '@granary/contract/fleet';
import {
  type AccessValues,
  accessClient,
  asActor,
  dataDirOf,
  localUrl,
  pause,
  personName,
  serviceAccess,
} from '../../access/service-access.ts';
import { confirm, type Define, type Environment } from '../../program/environment.ts';
import { CommandFailure, EXIT } from '../../program/explain.ts';
import { withAccess, withExamples } from '../../program/options.ts';
import { DEMO_BRIDGE_ID } from '../../running/demo-bridge.ts';
import { demoFiles, forgetDemo } from '../../running/demo-files.ts';
import { outputOf } from '../../terminal/output.ts';

const JOBS_MAX = 100;
const LOOK_EVERY_MS = 500;
/** A running simulated device confirms a stop within a second. */
const CONFIRM_MS = 5_000;
/** The service accepts a declared end only when no answer of the device can come any more. */
const DECLARE_MS = 60_000;
const NAMED_MAX = 8;

export const removeDemo: Define = (command, environment) => {
  command
    .description(
      `Removes the simulated devices with all their records: those with the label "${SIMULATED_LABEL}", and no others, whatever their names are. What runs on them is stopped first. "granary up" starts without a demo from then on; "granary simulate" runs the farm again.`,
    )
    .option('-y, --yes', 'do not ask');
  withExamples(command, 'granary remove-demo', 'granary remove-demo --yes --json');
  withAccess(command).action(async (values: AccessValues & { readonly yes?: boolean }) => {
    const { env } = environment;
    const client = accessClient(values, env);
    const { baseUrl } = serviceAccess(values, env);
    const dataDir = baseUrl === localUrl(env) ? dataDirOf(env) : null;
    const all = await Array.fromAsync(client.fleet.devicesAll());
    const devices = await Array.fromAsync(client.fleet.devicesAll({ label: SIMULATED_LABEL }));
    const others = all.length - devices.length;
    if (devices.length > 0) await confirm(questionOf(devices, others), values.yes, environment);
    const demoKey = dataDir === null ? null : await keyOfDemo(baseUrl, dataDir);
    const { removed, left } = await removeAll(client, devices, environment);
    const output = outputOf(environment, values.json);
    if (left.length > 0) {
      output.note(removed.length === 0 ? 'Nothing is removed.' : `Removed: ${removed.join(', ')}.`);
      throw new CommandFailure(
        `these devices are NOT removed:\n${left.map(({ id, why }) => `  ${id}: ${why}`).join('\n')}`,
        { exitCode: EXIT.failed, cure: 'Repeat the command when nothing runs on them.' },
      );
    }
    const revokedKeys = demoKey === null ? [] : [(await client.keys.revoke(demoKey, asActor(env))).key_id];
    const bridges = await forgetBridge(client, removed, env);
    if (dataDir !== null) await forgetDemo(dataDir);
    output.one({ removed, revoked_keys: revokedKeys, bridges, other_devices: others }, () =>
      [
        removed.length === 0
          ? 'There are no simulated devices.'
          : `Removed ${removed.length} simulated devices: ${removed.join(', ')}. Their records are removed in the background.`,
        ...revokedKeys.map((key) => `Revoked the key of the demo's bridge: ${key}.`),
        ...bridges.map((id) => `Removed the bridge ${id}.`),
        `${others} other devices are as they were.`,
        dataDir === null
          ? 'Where the service runs, start it with "granary serve" or "granary up --empty": "granary up" would bring the demo back.'
          : `"granary up" starts without the demo from now on; delete ${demoFiles(dataDir).removed} to have it again.`,
      ].join('\n'),
    );
  });
};

function questionOf(devices: readonly FleetDevice[], others: number): string {
  const ids = devices.slice(0, NAMED_MAX).map(({ device_id }) => device_id);
  const more = devices.length > ids.length ? `, and ${devices.length - ids.length} more` : '';
  return `Remove ${devices.length} simulated devices (${ids.join(', ')}${more}) with all their records, for good? The ${others} other devices are not touched.`;
}

/** The key of the bridge of the demo, found by the secret that only this bridge has. */
async function keyOfDemo(baseUrl: string, dataDir: string): Promise<string | null> {
  const secrets = join(demoFiles(dataDir).bridgeFolder, 'site.data', 'secrets.json');
  try {
    const { key } = await readSecrets(secrets);
    if (key === undefined) return null;
    return (await createClient({ baseUrl, apiKey: key, timeLimitMs: CONFIRM_MS }).session.get()).key_id;
  } catch {
    // Without a key, or with one that is no longer valid, there is nothing to revoke.
    return null;
  }
}

/** Removes the bridge of the demo, unless devices are attached to it that were not removed. */
async function forgetBridge(
  client: Client,
  removed: readonly string[],
  env: Environment['env'],
): Promise<string[]> {
  const known = (await client.bridges.list()).some(({ bridge_id }) => bridge_id === DEMO_BRIDGE_ID);
  if (!known) return [];
  const { devices } = await client.bridges.get(DEMO_BRIDGE_ID);
  if (!devices.every(({ device_id }) => removed.includes(device_id))) return [];
  await client.bridges.remove(DEMO_BRIDGE_ID, asActor(env));
  return [DEMO_BRIDGE_ID];
}

interface Removal {
  readonly removed: readonly string[];
  readonly left: readonly { readonly id: string; readonly why: string }[];
}

/** All stops are requested before the first one is waited for. */
async function removeAll(
  client: Client,
  devices: readonly FleetDevice[],
  environment: Environment,
): Promise<Removal> {
  const removed: string[] = [];
  const left: { id: string; why: string }[] = [];
  for (const device of devices) {
    for (const job of await openJobs(client, device)) await ignoringRefusals(() => job.stop(environment.env));
  }
  for (const device of devices) {
    const { device_id: id, group } = device;
    try {
      await untilNothingRuns(client, device, environment);
      await client.devices[group].remove(id, { purge: 'true' }, asActor(environment.env));
      removed.push(id);
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      left.push({ id, why: failure.message });
    }
  }
  return { removed, left };
}

interface OpenJob {
  readonly name: string;
  stop(env: Environment['env']): Promise<unknown>;
  declareEnded(env: Environment['env']): Promise<unknown>;
}

/** The jobs of the device that have begun or are due, and have not ended. */
async function openJobs(client: Client, { device_id, group }: FleetDevice): Promise<OpenJob[]> {
  const { operations, missions, commands } = client;
  const newest = { limit: JOBS_MAX };
  if (group === 'silo') {
    const { data } = await operations.list(device_id, newest);
    return data
      .filter(({ ended_at }) => ended_at === null)
      .map(({ operation_id: id }) => ({
        name: id,
        stop: (env) => operations.stop(device_id, id, asActor(env)),
        declareEnded: (env) => operations.declareEnded(device_id, id, declaration(env), asActor(env)),
      }));
  }
  const [planned, given] = await Promise.all([
    missions.list(device_id, newest),
    commands.list(device_id, newest),
  ]);
  return [
    ...planned.data
      .filter(({ ended_at }) => ended_at === null)
      .map(({ mission_id: id }) => ({
        name: id,
        stop: (env: Environment['env']) => missions.cancel(device_id, id, asActor(env)),
        declareEnded: (env: Environment['env']) =>
          missions.declareEnded(device_id, id, declaration(env), asActor(env)),
      })),
    ...given.data
      .filter(({ ended_at }) => ended_at === null)
      .map(({ command_id: id }) => ({
        name: id,
        // A command ends by itself; stopping it would need another command that has to be waited for.
        stop: async () => undefined,
        declareEnded: (env: Environment['env']) =>
          commands.declareEnded(device_id, id, declaration(env), asActor(env)),
      })),
  ];
}

const declaration = (env: Environment['env']) => ({
  reason: 'a simulated device, which nothing can move; it is removed with the demo',
  looked_by: personName(env) ?? 'granary remove-demo',
});

/** Waits until nothing runs. A simulated device that is not running confirms nothing, so the end is declared, which the records say. */
async function untilNothingRuns(
  client: Client,
  device: FleetDevice,
  { env, printError }: Environment,
): Promise<void> {
  const startMs = performance.now();
  let isSaid = false;
  for (;;) {
    const jobs = await openJobs(client, device);
    const passedMs = performance.now() - startMs;
    if (jobs.length === 0 || passedMs > DECLARE_MS) return;
    if (passedMs > CONFIRM_MS) {
      if (!isSaid)
        printError(
          `${device.device_id} does not confirm the stop of ${jobs.map(({ name }) => name).join(', ')}`,
        );
      isSaid = true;
      for (const job of jobs) await ignoringRefusals(() => job.declareEnded(env));
    }
    await pause(LOOK_EVERY_MS);
  }
}

/** Ignores a refused request: if a job still runs, the service refuses the removal. */
async function ignoringRefusals(call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure;
  }
}
