import { randomUUID } from 'node:crypto';
import type { Client } from '@granary/client';
import {
  type Mission,
  type PreflightResult,
  WAYPOINT_ACTIONS,
  type Waypoint,
} from '@granary/contract/missions';
import { type Command, InvalidArgumentError } from 'commander';
import { asActor } from '../../access/actor.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import { confirm } from '../../frame/ask.ts';
import type { Environment } from '../../frame/environment.ts';
import { CommandFailure, EXIT, UsageError } from '../../frame/failures.ts';
import { given, readDocument, withAccess, withExamples } from '../../frame/options.ts';
import { duration, timestamp } from '../../frame/times.ts';
import { type Field, outputOf } from '../../terminal/output.ts';
import { numberText } from '../devices/device-texts.ts';

interface Values extends AccessValues {
  readonly name?: string;
  readonly start?: string;
  readonly file?: string;
  readonly yes?: boolean;
}

const NAME_DEFAULT = 'Mission';
const WAYPOINT = /^(-?[\d.]+),(-?[\d.]+)(?:,(-?[\d.]+))?(?::([a-z_]+)(?:=(\d+))?)?$/;

export function defineMissionPreflight(command: Command, environment: Environment): void {
  command.description(
    'Shows what a mission would need, and whether it would be refused now: then the exit code is 3. Nothing is created.',
  );
  withExamples(command, 'granary missions preflight rover-01 48.2001,16.3:scan 48.2,16.3001:wait=60');
  withWaypoints(command).action(async (deviceId: string, waypoints: Waypoint[], values: Values) => {
    const client = accessClient(values, environment.env);
    const mission = await missionOf(waypoints, values, environment);
    const result = await preflightOf(client, deviceId, mission);
    const output = outputOf(environment, values.json);
    output.one(result, () => output.fields(fieldsOf(result)));
    const { refusal } = result;
    if (refusal === null) return;
    throw new CommandFailure(`the mission would be refused now (${refusal.code})`, {
      exitCode: EXIT.refused,
    });
  });
}

export function defineMissionCreate(command: Command, environment: Environment): void {
  command
    .description('Creates a mission: shows what it needs, asks, and creates it once.')
    .option('--name <text>', `its name (${NAME_DEFAULT})`)
    .option('-y, --yes', 'do not ask');
  withExamples(
    command,
    'granary missions create rover-01 48.2001,16.3:scan 48.2,16.3001:wait=60 --name "Soil samples"',
    'granary missions create rover-01 --file mission.yaml --start 2026-11-16T06:00:00Z --yes',
  );
  withWaypoints(command).action(async (deviceId: string, waypoints: Waypoint[], values: Values) => {
    const client = accessClient(values, environment.env);
    const mission = await missionOf(waypoints, values, environment);
    const output = outputOf(environment, values.json);
    output.note(output.fields(fieldsOf(await preflightOf(client, deviceId, mission))));
    await confirm(`May ${deviceId} move?`, values.yes, environment);
    const options = { idempotencyKey: randomUUID(), ...asActor(environment.env) };
    const record = await client.missions.create(deviceId, mission, options);
    const { mission_id, status, status_detail } = record;
    output.one(record, () => `${mission_id} ${status}: ${status_detail}`);
  });
}

const withWaypoints = (command: Command): Command =>
  withAccess(
    command
      .argument('<device_id>')
      .argument(
        '[waypoint...]',
        `latitude,longitude[,altitude][:action]; actions: ${WAYPOINT_ACTIONS.join(', ')}, wait=<seconds>`,
        (text: string, before: Waypoint[] = []) => [...before, waypointOf(text)],
      )
      .option('--file <file>', 'the mission as JSON or YAML, or - for the standard input')
      .option('--start <time>', 'when it begins, ISO 8601 (now)', timestamp),
  );

function waypointOf(text: string): Waypoint {
  const [, lat, lng, altitude, given = 'none', seconds] = WAYPOINT.exec(text) ?? [];
  const action = WAYPOINT_ACTIONS.find((one) => one === given);
  if (lat === undefined || lng === undefined || action === undefined) {
    throw new InvalidArgumentError(
      `It must be latitude,longitude[,altitude][:action], such as 48.2001,16.3:scan, with one of the actions ${WAYPOINT_ACTIONS.join(', ')}.`,
    );
  }
  return {
    lat: Number(lat),
    lng: Number(lng),
    action,
    ...(altitude === undefined ? {} : { altitude: Number(altitude) }),
    ...(seconds === undefined ? {} : { wait_seconds: Number(seconds) }),
  };
}

/** The service checks what a file holds. */
async function missionOf(
  waypoints: readonly Waypoint[],
  { name, start, file }: Values,
  environment: Environment,
): Promise<Mission> {
  if ((file === undefined) === (waypoints.length === 0)) {
    throw new UsageError('name waypoints, or a file with the mission', { cure: 'Exactly one of them.' });
  }
  const document = file === undefined ? { waypoints } : await readDocument(file, environment);
  return {
    mission_name: NAME_DEFAULT,
    ...document,
    ...given({ mission_name: name, scheduled_start: start }),
  } as Mission;
}

function preflightOf(
  client: Client,
  deviceId: string,
  { mission_name: _, ...wanted }: Mission,
): Promise<PreflightResult> {
  return client.missions.preflight(deviceId, wanted);
}

function fieldsOf({ preflight, refusal }: PreflightResult): Field[] {
  const needs: Field[] =
    preflight === null
      ? [['needs', 'not known: the device has not reported its position or its battery']]
      : [
          ['way', `${numberText(preflight.distance_m)} m, back ${numberText(preflight.return_distance_m)} m`],
          ['duration', `about ${duration(preflight.duration_s * 1_000)}`],
          [
            'battery',
            `${numberText(preflight.battery_required)} % of ${numberText(preflight.battery_available)} %, reserve ${numberText(preflight.battery_reserve)} %`,
          ],
        ];
  if (refusal === null) return needs;
  const details = refusal.details.map(({ path, message }) => `${path} ${message}`.trim());
  return [...needs, ['refused now', [refusal.message, ...details].join('; ')]];
}
