import { DEVICE_GROUPS, type DeviceGroup } from '@granary/contract/devices/groups';
import { type Action, runAction } from '../actions.ts';
import { type Command, parseOptions, positiveNumber, required, UsageError } from '../command.ts';
import { ACCESS_HELP, ACCESS_OPTIONS, accessClient } from '../service-access.ts';
import { table } from '../table.ts';

const KIND_OPTION = { kind: { type: 'string', default: 'silo' } } as const;

const list: Action = async (args, { env, print }) => {
  const { values } = parseOptions({ args, options: { ...ACCESS_OPTIONS, ...KIND_OPTION } });
  const group = accessClient(values.url, env).devices[asKind(values.kind)];
  const rows: string[][] = [];
  for await (const { device_id, name, model, status, location, last_seen } of group.listAll()) {
    rows.push([
      device_id,
      name,
      model,
      status,
      `${location.facility}, ${location.zone}`,
      last_seen ?? 'never',
    ]);
  }
  print(table(['DEVICE', 'NAME', 'MODEL', 'STATUS', 'LOCATION', 'LAST SEEN'], rows));
};

const register: Action = async (args, { env, print }) => {
  const { values } = parseOptions({
    args,
    options: {
      ...ACCESS_OPTIONS,
      ...KIND_OPTION,
      id: { type: 'string' },
      name: { type: 'string' },
      model: { type: 'string' },
      firmware: { type: 'string' },
      facility: { type: 'string' },
      zone: { type: 'string' },
      capacity: { type: 'string' },
    },
  });
  const common = {
    device_id: required(values.id, '--id'),
    name: required(values.name, '--name'),
    model: required(values.model, '--model'),
    ...(values.firmware === undefined ? {} : { firmware_version: values.firmware }),
    location: { facility: required(values.facility, '--facility'), zone: required(values.zone, '--zone') },
  };
  const { silo, field } = accessClient(values.url, env).devices;
  const registerAs = {
    silo: () => silo.register({ ...common, capacity: capacityOf(values.capacity) }),
    field: () => field.register(common),
  };
  const { credentials } = await registerAs[asKind(values.kind)]();
  print(
    `username  ${credentials.username}\nsecret    ${credentials.secret}\n\nThe secret is shown this once.`,
  );
};

export const devices: Command = {
  help: `Usage: granary devices <list|register> [options]

  granary devices list [--kind silo|field]
  granary devices register --id <id> --name <text> --model <text> --facility <text> --zone <text> --capacity <kg>
      --firmware <text>     the firmware's version
      --kind silo|field     a field device has no --capacity (silo)

${ACCESS_HELP}`,
  run: (args, environment) => runAction('devices', { list, register }, args, environment),
};

function asKind(text: string): DeviceGroup {
  const kind = DEVICE_GROUPS.find((one) => one === text);
  if (kind !== undefined) return kind;
  throw new UsageError(`--kind must be silo or field, not "${text}"`);
}

function capacityOf(text: string | undefined) {
  return { max: positiveNumber(required(text, '--capacity'), '--capacity'), unit: 'kg' } as const;
}
