import { readAddresses } from '@granary/server/process/addresses-file';
import { startFarm } from '@granary/simulator/start-farm';
import { type AccessValues, dataDirOf, localUrl, serviceAccess } from '../../access/service-access.ts';
import type { Define } from '../../program/environment.ts';
import { address, withAccess, withExamples } from '../../program/options.ts';
import { demoFiles } from '../../running/demo-files.ts';
import {
  createFarmReporter,
  type FarmValues,
  farmChoices,
  withFarmOptions,
} from '../../running/farm-options.ts';
import { runUntilSignal } from '../../running/until-signal.ts';

const MQTT_DEFAULT = 'mqtt://127.0.0.1:1883';
/** A service that was not started by `up` refuses readings that are older, unless it is configured otherwise. */
const HISTORY_DAYS_MAX = 30;

interface Values extends FarmValues, AccessValues {
  readonly mqtt?: string;
}

export const simulate: Define = (command, { env, print }) => {
  command
    .description(
      'Runs the simulated farm against a service that is running already. Devices that are missing are registered, which takes a key with the scopes read, configure and admin. Their secrets and memory are kept in GRANARY_DATA_DIR (.granary).',
    )
    .option('--mqtt <address>', `where devices connect (of the service on this machine, or ${MQTT_DEFAULT})`);
  withExamples(
    command,
    'granary simulate',
    'granary simulate --mqtt mqtt://farm.example:1883 --context farm',
  );
  withFarmOptions(withAccess(command)).action(async (values: Values) => {
    const choices = farmChoices(values);
    const { apiKey, ...access } = serviceAccess(values, env);
    const running = access.baseUrl === localUrl(env) ? readAddresses(dataDirOf(env)) : null;
    const mqttUrl = address(values.mqtt ?? running?.mqtt ?? MQTT_DEFAULT, '--mqtt', ['mqtt:', 'mqtts:']);
    await runUntilSignal(async (onStop) => {
      const farm = await startFarm({
        ...choices,
        historyDays: Math.min(choices.historyDays, HISTORY_DAYS_MAX),
        ...access,
        adminKey: apiKey,
        mqttUrl,
        credentialsFile: demoFiles(dataDirOf(env)).credentials,
        onEvent: createFarmReporter(print),
      });
      onStop(() => farm.stop());
      print('farm: running; Ctrl+C stops it');
    });
  });
};
