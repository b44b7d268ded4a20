import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import { COMMAND_NAMES } from '../commands.ts';
import { FieldConfiguration } from '../configuration/field-configuration.ts';
import { SiloConfiguration } from '../configuration/silo-configuration.ts';
import { WeatherStationConfiguration } from '../configuration/weather-station-configuration.ts';
import { closed } from '../input/closed.ts';
import { readJson } from '../input/json.ts';
import { type Checker, checker } from '../input/schema.ts';
import { WAYPOINT_ACTIONS, WAYPOINT_STATUSES, WAYPOINTS_MAX } from '../missions/waypoints.ts';
import { PROFILES } from '../profiles/profiles.ts';
import { CHANNEL_NAMES } from '../telemetry/channels.ts';
import { READINGS_PER_MESSAGE_MAX } from '../telemetry/telemetry.ts';
import { sentSchema } from './configuration-message.ts';
import {
  COMMAND_STATES,
  checkFieldAck,
  checkFieldCommand,
  checkFieldProgress,
  FieldCommand,
  MISSION_STATES,
} from './field-messages.ts';
import {
  checkDeviceState,
  checkOperationAck,
  checkOperationProgress,
  checkSiloCommand,
  LINK_PAYLOAD_BYTES_MAX,
  PROGRESS_STATES,
  SiloCommand,
} from './messages.ts';

const PAGE = readFileSync(new URL('../../../../docs/devices.md', import.meta.url), 'utf8');

const version = Type.Integer({ minimum: 1 });
const CHECKERS: Readonly<Record<string, Checker<unknown>>> = {
  'silo/telemetry': PROFILES.silo_scale.checkTelemetry,
  'silo/status': checkDeviceState,
  'silo/ack': checkOperationAck,
  'silo/progress': checkOperationProgress,
  'silo/command': checkSiloCommand,
  'silo/config': checker(closed({ version, ...sentSchema(SiloConfiguration).properties })),
  'field/telemetry': PROFILES.rover.checkTelemetry,
  'field/status': checkDeviceState,
  'field/ack': checkFieldAck,
  'field/progress': checkFieldProgress,
  'field/command': checkFieldCommand,
  'field/config': checker(closed({ version, ...sentSchema(FieldConfiguration).properties })),
  'weather_station/telemetry': PROFILES.weather_station.checkTelemetry,
  'weather_station/config': checker(
    closed({ version, ...sentSchema(WeatherStationConfiguration).properties }),
  ),
};

interface Example {
  readonly message: string;
  readonly text: string;
}

/** A fenced block whose first line names the kind of device and the topic. */
const EXAMPLES: readonly Example[] = [...PAGE.matchAll(/^```json (\S*)\n(.*?)^```$/gms)].map(
  ([, message = '', text = '']) => ({ message, text }),
);

const commandsShown = (message: string): unknown[] =>
  EXAMPLES.filter((example) => example.message === message).map(({ text }) => JSON.parse(text).command);

/** The commands of a union, by their schemas. */
function commandsOf(schema: typeof SiloCommand | typeof FieldCommand): string[] {
  return schema.anyOf.flatMap(({ properties: { command } }) =>
    'const' in command ? [command.const] : command.enum,
  );
}

describe('the device maker’s guide', () => {
  for (const [index, { message, text }] of EXAMPLES.entries()) {
    it(`shows a valid example of ${message} (${index + 1})`, () => {
      const check = CHECKERS[message];
      assert.ok(check !== undefined, `no topic is called ${message}`);
      assert.deepEqual(check.faults(readJson(text)), []);
      assert.ok(check.accepts(readJson(text)));
    });
  }

  it('has no JSON that is not checked', () => {
    assert.equal(PAGE.match(/^```json/gm)?.length, EXAMPLES.length);
  });

  it('shows an example of each message', () => {
    const shown = new Set(EXAMPLES.map(({ message }) => message));
    assert.deepEqual([...shown].toSorted(), Object.keys(CHECKERS).toSorted());
    assert.deepEqual(new Set(commandsShown('silo/command')), new Set(commandsOf(SiloCommand)));
    assert.deepEqual(new Set(commandsShown('field/command')), new Set(commandsOf(FieldCommand)));
  });

  it('names every word that a message may hold', () => {
    const words = [
      ...[COMMAND_NAMES, COMMAND_STATES, MISSION_STATES, PROGRESS_STATES, WAYPOINT_ACTIONS].flat(),
      ...[WAYPOINT_STATUSES, CHANNEL_NAMES].flat(),
    ];
    const missing = words.filter((word) => !PAGE.includes(`\`${word}\``));
    assert.deepEqual(missing, []);
  });

  it('names the limits as they are', () => {
    assert.match(PAGE, new RegExp(`payload \\| ${LINK_PAYLOAD_BYTES_MAX / 1_024} KiB`));
    assert.match(
      PAGE,
      new RegExp(`readings in a message \\| ${READINGS_PER_MESSAGE_MAX.toLocaleString('en')}`),
    );
    assert.match(PAGE, new RegExp(`up to ${WAYPOINTS_MAX} waypoints`));
  });
});
