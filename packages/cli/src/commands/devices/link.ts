import type { Rejections } from '@granary/contract/devices/devices';
import type { LinkStatus } from '@granary/contract/link/link-status';
import type { Command } from 'commander';
import { findDevice } from '../../access/find-device.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import type { Environment } from '../../frame/environment.ts';
import { withAccess, withExamples } from '../../frame/options.ts';
import { age } from '../../frame/times.ts';
import { type Field, outputOf } from '../../terminal/output.ts';
import type { Column } from '../../terminal/table.ts';

export function defineLink(command: Command, environment: Environment): void {
  command
    .argument('<device_id>')
    .description('Shows the MQTT connection of a device, with counts since the start of the service.');
  withExamples(command, 'granary device link silo-01');
  withAccess(command).action(async (deviceId: string, values: AccessValues) => {
    const client = accessClient(values, environment.env);
    const { group } = await findDevice(client, deviceId);
    const link = await client.devices[group].link(deviceId);
    const output = outputOf(environment, values.json);
    output.one(link, () => output.fields(linkFields(link)));
  });
}

function linkFields(link: LinkStatus): Field[] {
  const { connected_since, remote_address, session, refused_logins, last_fault, last_disconnect } = link;
  const since = connected_since === null ? '' : `, since ${connected_since}`;
  const from = remote_address === null ? '' : `, from ${remote_address}`;
  return [
    ['connected', link.connected ? `yes${since}${from}` : 'no'],
    ['session', session],
    ['commands', link.subscribed ? 'subscribed' : 'NOT SUBSCRIBED: it cannot receive commands'],
    ['connects', `${link.connects}, of which ${link.takeovers} took over from another connection`],
    [
      'messages',
      `${link.messages.in} in, ${link.messages.out} out, ${link.messages.unacknowledged} not acknowledged`,
    ],
    ['not sent', `${link.dropped.expired} expired, ${link.dropped.not_connected} without a connection`],
    [
      'refused logins',
      `${refused_logins.total}${refused_logins.last === null ? '' : `, last ${age(refused_logins.last.at)}: ${refused_logins.last.reason}`}`,
    ],
    ['not usable', `${link.rejections.total} messages (granary device rejections)`],
    ['last fault', last_fault === null ? null : `${age(last_fault.at)}: ${last_fault.message}`],
    ['last end', last_disconnect === null ? null : `${age(last_disconnect.at)}: ${last_disconnect.message}`],
  ];
}

const COLUMNS: readonly Column<Rejections['recent'][number]>[] = [
  { title: 'RECEIVED', text: ({ received_at }) => received_at },
  { title: 'TOPIC', text: ({ topic }) => topic },
  { title: 'WHY', text: ({ reason }) => reason },
  { title: 'MESSAGE', text: ({ payload }) => payload },
];

export function defineRejections(command: Command, environment: Environment): void {
  command
    .argument('<device_id>')
    .description('Lists the last messages of a device that could not be used, and why.');
  withExamples(command, 'granary device rejections silo-01', 'granary device rejections silo-01 --json');
  withAccess(command).action(async (deviceId: string, values: AccessValues) => {
    const client = accessClient(values, environment.env);
    const { group } = await findDevice(client, deviceId);
    const rejections = await client.devices[group].rejections(deviceId);
    const output = outputOf(environment, values.json);
    if (output.isJson) return output.one(rejections, () => '');
    output.list(COLUMNS, rejections.recent, 'All its messages could be used.');
  });
}
