import { HOUR_MS } from '@granary/contract/time';
import { createService, type Started } from '@granary/server/compose';
import { readSettings, type Settings } from '@granary/server/process/settings';
import { StartError } from '@granary/server/process/start-error';
import { type Farm, type FarmOptions, HISTORY_DAYS_DEFAULT, startFarm } from '@granary/simulator/start-farm';
import { personName } from '../../access/service-access.ts';
import type { Define } from '../../program/environment.ts';
import { UsageError } from '../../program/explain.ts';
import { withExamples } from '../../program/options.ts';
import { prepareDemoBridge } from '../../running/demo-bridge.ts';
import { demoFiles, forgetDemo, isDemoRemoved } from '../../running/demo-files.ts';
import {
  createFarmReporter,
  type FarmValues,
  farmChoices,
  withFarmOptions,
} from '../../running/farm-options.ts';
import { startMessage } from '../../running/start-message.ts';
import { runUntilSignal } from '../../running/until-signal.ts';

/** The link is valid for long, because people start the service and look later. */
const SIGN_IN_MS = 12 * HOUR_MS;
/** The age up to which readings are accepted; the history of the simulated farm has to fit into it. */
const RAW_DAYS = String(HISTORY_DAYS_DEFAULT + 1);

interface UpValues extends FarmValues {
  readonly bridge?: boolean;
  readonly empty?: boolean;
}

export const up: Define = (command, { env, print, terminal }) => {
  command.description(
    'Starts the service with a simulated farm: silos, rovers, a drone and weather stations that connect over MQTT, as real ones would. The service is set up as with granary serve.',
  );
  withExamples(
    command,
    'granary up',
    'granary up --fault silo-03:stall,rover-01:link-loss',
    'GRANARY_HTTP_PORT=9080 granary up --no-history',
    'granary up --empty',
  );
  command.option('--empty', 'without the simulated farm, for devices of your own');
  command.option('--bridge', 'also run a bridge with three simulated devices of other makers');
  withFarmOptions(command).action(async (values: UpValues) => {
    const choices = farmChoices(values);
    const usual = readSettings({ GRANARY_RETENTION_RAW_DAYS: RAW_DAYS, ...env });
    const { dataDir } = usual;
    const isRemoved = isDemoRemoved(dataDir);
    const isEmpty = values.empty === true || isRemoved;
    if (isEmpty && values.fault !== undefined)
      throw new UsageError(
        `${isRemoved ? 'the demo was removed and' : '--empty'} has no devices for a --fault`,
      );
    await runUntilSignal(async (onStop) => {
      // A bridge in the settings is one for real devices.
      const bridge =
        values.bridge === true && !isEmpty && usual.bridgeSite === null
          ? await prepareDemoBridge(dataDir)
          : null;
      if (bridge !== null) onStop(bridge.stop);
      const service = createService(usual, { signInLink: { validMs: SIGN_IN_MS, account: personName(env) } });
      onStop(() => service.stop());
      const started = await service.start();
      if (!isEmpty) {
        const farm = await startDemo(started, usual, { ...choices, onEvent: createFarmReporter(print) });
        onStop(() => farm.stop());
        if (bridge !== null) onStop(await bridge.start(started, usual));
        void farm.removed.then(async () => {
          if (bridge !== null) await bridge.stop();
          await forgetDemo(dataDir);
          print('farm: the demo was removed; it does not come back with the next start');
        });
      }
      print(startMessage(started, usual.siloSegment, terminal.columns !== null));
      if (isRemoved && values.empty !== true)
        print(`The demo was removed; delete ${demoFiles(dataDir).removed} to have it again.\n`);
    });
  });
};

type DemoChoices = ReturnType<typeof farmChoices> & Pick<FarmOptions, 'onEvent'>;

async function startDemo(started: Started, settings: Settings, choices: DemoChoices): Promise<Farm> {
  if (started.adminKey.isElsewhere) {
    throw new StartError('the database has an admin key already; set GRANARY_ADMIN_KEY to one of your own');
  }
  return await startFarm({
    ...choices,
    historyDays: Math.min(choices.historyDays, settings.rawRetentionDays),
    baseUrl: started.httpUrl,
    siloSegment: settings.siloSegment,
    fieldSegment: settings.fieldSegment,
    adminKey: started.adminKey.key,
    mqttUrl: started.mqttUrl,
    credentialsFile: demoFiles(settings.dataDir).credentials,
  });
}
