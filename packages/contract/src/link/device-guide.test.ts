import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { COMMAND_NAMES } from '../commands.ts';
import { readJson } from '../input/json.ts';
import type { Checker } from '../input/schema.ts';
import { WAYPOINT_ACTIONS, WAYPOINT_STATUSES, WAYPOINTS_MAX } from '../missions.ts';
import { DEVICE_MESSAGES } from '../profiles/device-messages.ts';
import { CHANNEL_NAMES } from '../telemetry/channels.ts';
import { READINGS_PER_MESSAGE_MAX } from '../telemetry/telemetry.ts';
import { COMMAND_STATES, FieldCommand, MISSION_STATES } from './field-messages.ts';
import { LINK_PAYLOAD_BYTES_MAX, PROGRESS_STATES, SiloCommand } from './messages.ts';

const PAGE = readFileSync(new URL('../../../../docs/devices.md', import.meta.url), 'utf8');

/** The checkers of the messages, by kind of device and topic; some topics have several. */
const CHECKERS = new Map<string, Checker<unknown>[]>();
for (const { kinds, subject, check } of DEVICE_MESSAGES) {
  for (const kind of kinds) {
    const name = `${kind}/${subject}`;
    CHECKERS.set(name, [...(CHECKERS.get(name) ?? []), check]);
  }
}
/** The guide shows the status message once for silos and once for field devices. */
CHECKERS.delete('weather_station/status');

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
      const checks = CHECKERS.get(message);
      assert.ok(checks !== undefined, `no topic is called ${message}`);
      const accepting = checks.filter((check) => check.accepts(readJson(text)));
      assert.equal(accepting.length, 1, JSON.stringify(checks.map((check) => check.faults(readJson(text)))));
    });
  }

  it('has no JSON that is not checked', () => {
    assert.equal(PAGE.match(/^```json/gm)?.length, EXAMPLES.length);
  });

  it('shows an example of each message', () => {
    const shown = new Set(EXAMPLES.map(({ message }) => message));
    assert.deepEqual([...shown].toSorted(), [...CHECKERS.keys()].toSorted());
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
