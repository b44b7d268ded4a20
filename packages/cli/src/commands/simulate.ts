import { startFarm } from '@granary/simulator/start-farm';
import { address, type Command, parseOptions } from '../command.ts';
import { FARM_HELP, FARM_OPTIONS, farmChoices, farmCredentialsFile } from '../farm-options.ts';
import { createFarmReporter } from '../farm-reporter.ts';
import { ACCESS_HELP, ACCESS_OPTIONS, serviceAccess } from '../service-access.ts';
import { runUntilSignal } from '../until-signal.ts';

const DATA_DIR_DEFAULT = '.granary';

export const simulate: Command = {
  help: `Usage: granary simulate [options]

Runs the simulated farm against a service that is running already. Devices that are missing are registered, which takes
a key with the scopes read, configure and admin. Their secrets and memory are kept in GRANARY_DATA_DIR (${DATA_DIR_DEFAULT}).

${ACCESS_HELP}

  --mqtt <address>       where devices connect (mqtt://127.0.0.1:1883)
${FARM_HELP}`,

  async run(args, { env, print }) {
    const { values } = parseOptions({
      args,
      options: {
        ...ACCESS_OPTIONS,
        ...FARM_OPTIONS,
        mqtt: { type: 'string', default: 'mqtt://127.0.0.1:1883' },
      },
    });
    const choices = farmChoices(values);
    const { apiKey, ...access } = serviceAccess(values.url, env);
    const mqttUrl = address(values.mqtt, '--mqtt', ['mqtt:', 'mqtts:']);
    await runUntilSignal(async (onStop) => {
      const farm = await startFarm({
        ...choices,
        ...access,
        adminKey: apiKey,
        mqttUrl,
        credentialsFile: farmCredentialsFile(env['GRANARY_DATA_DIR'] ?? DATA_DIR_DEFAULT),
        onEvent: createFarmReporter(print),
      });
      onStop(() => farm.stop());
      print('farm: running; Ctrl+C stops it');
    });
    return 0;
  },
};
