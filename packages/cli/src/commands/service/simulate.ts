import { startFarm } from '@granary/simulator/start-farm';
import { type AccessValues, serviceAccess } from '../../access/service-access.ts';
import type { Define } from '../../frame/define.ts';
import { address, withAccess, withExamples } from '../../frame/options.ts';
import {
  type FarmValues,
  farmChoices,
  farmCredentialsFile,
  withFarmOptions,
} from '../../running/farm-options.ts';
import { createFarmReporter } from '../../running/farm-reporter.ts';
import { runUntilSignal } from '../../running/until-signal.ts';

const DATA_DIR_DEFAULT = '.granary';

interface Values extends FarmValues, AccessValues {
  readonly mqtt: string;
}

export const simulate: Define = (command, { env, print }) => {
  command
    .description(
      `Runs the simulated farm against a service that is running already. Devices that are missing are registered, which takes a key with the scopes read, configure and admin. Their secrets and memory are kept in GRANARY_DATA_DIR (${DATA_DIR_DEFAULT}).`,
    )
    .option('--mqtt <address>', 'where devices connect', 'mqtt://127.0.0.1:1883');
  withExamples(
    command,
    'granary simulate',
    'granary simulate --mqtt mqtt://farm.example:1883 --context farm',
  );
  withFarmOptions(withAccess(command)).action(async (values: Values) => {
    const choices = farmChoices(values);
    const mqttUrl = address(values.mqtt, '--mqtt', ['mqtt:', 'mqtts:']);
    const { apiKey, ...access } = serviceAccess(values, env);
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
  });
};
