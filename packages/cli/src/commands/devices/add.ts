import type { DeviceCredentials } from '@granary/contract/devices/devices';
import { DEVICE_GROUPS, type DeviceGroup } from '@granary/contract/profiles/groups';
import { profileNamesOf } from '@granary/contract/profiles/profiles';
import type { Command } from 'commander';
import { type AccessValues, accessClient, asActor } from '../../access/service-access.ts';
import type { Environment } from '../../program/environment.ts';
import { UsageError } from '../../program/explain.ts';
import { choice, given, positiveNumber, withAccess, withExamples } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';

interface Values extends AccessValues {
  readonly kind: DeviceGroup;
  readonly id: string;
  readonly name: string;
  readonly model: string;
  readonly facility: string;
  readonly zone: string;
  readonly capacity?: number;
  readonly firmware?: string;
  readonly profile?: ReturnType<typeof profileNamesOf>[number];
}

export function defineAdd(command: Command, environment: Environment): void {
  command
    .description('Registers a device and shows its secret for the device link this once.')
    .addOption(choice('--kind <kind>', 'a silo scale, or a field device', DEVICE_GROUPS).default('silo'))
    .requiredOption('--id <id>', 'its id, which is also its MQTT user name')
    .requiredOption('--name <text>', 'its name')
    .requiredOption('--model <text>', 'its model')
    .requiredOption('--facility <name>', 'the facility where it is')
    .requiredOption('--zone <name>', 'the zone of the facility')
    .option('--capacity <kg>', 'how much a silo can hold', positiveNumber)
    .option('--firmware <text>', "the firmware's version")
    .addOption(choice('--profile <profile>', 'of a field device (rover)', profileNamesOf('field')));
  withExamples(
    command,
    'granary device add --id silo-20 --name "Barley" --model GS-100 --facility "North farm" --zone yard --capacity 20000',
  );
  withAccess(command).action(async (values: Values) => {
    const { env } = environment;
    const { silo, field } = accessClient(values, env).devices;
    const { id, name, model, firmware, facility, zone, profile } = values;
    const common = {
      device_id: id,
      name,
      model,
      location: { facility, zone },
      ...(firmware === undefined ? {} : { firmware_version: firmware }),
    };
    const registerAs = {
      silo: () => silo.register({ ...common, capacity: capacityOf(values.capacity) }, asActor(env)),
      field: () => field.register({ ...common, ...given({ profile }) }, asActor(env)),
    };
    const registered = await registerAs[values.kind]();
    outputOf(environment, values.json).one(registered, () => credentialsText(registered.credentials));
  });
}

export const credentialsText = ({ username, secret }: DeviceCredentials): string =>
  `username  ${username}\nsecret    ${secret}\n\nThe secret is shown this once.`;

function capacityOf(max: number | undefined) {
  if (max === undefined) throw new UsageError('--capacity is missing', { cure: 'A silo needs it, in kg.' });
  return { max, unit: 'kg' } as const;
}
