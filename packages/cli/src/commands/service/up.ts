import { HOUR_MS } from '@granary/contract/time';
import { createService, type Started } from '@granary/server/compose';
import { readSettings, type Settings } from '@granary/server/process/settings';
import { StartError } from '@granary/server/process/start-error';
import { type FarmOptions, HISTORY_DAYS_DEFAULT, startFarm } from '@granary/simulator/start-farm';
import type { Define } from '../../program/environment.ts';
import { UsageError } from '../../program/explain.ts';
import { withExamples } from '../../program/options.ts';
import { prepareDemoBridge } from '../../running/demo-bridge.ts';
import {
  createFarmReporter,
  type FarmValues,
  farmChoices,
  farmCredentialsFile,
  withFarmOptions,
} from '../../running/farm-options.ts';
import { startMessage } from '../../running/start-message.ts';
import { runUntilSignal, type Stop } from '../../running/until-signal.ts';

/** People start it and look later. */
const SIGN_IN_MS = 12 * HOUR_MS;
/** Readings that are older than this are refused, so the past of the farm has to fit. */
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
    const isEmpty = values.empty === true;
    if (isEmpty && values.fault !== undefined) throw new UsageError('--empty has no devices for a --fault');
    const choices = farmChoices(values);
    const usual = readSettings({ GRANARY_RETENTION_RAW_DAYS: RAW_DAYS, ...env });
    await runUntilSignal(async (onStop) => {
      const bridge = values.bridge === true && !isEmpty ? await prepareDemoBridge(usual.dataDir) : null;
      if (bridge !== null) onStop(bridge.stop);
      const settings =
        bridge === null ? usual : { ...usual, bridgeSite: usual.bridgeSite ?? bridge.siteFile };
      const service = createService(settings, { signInLinkMs: SIGN_IN_MS });
      onStop(() => service.stop());
      const started = await service.start();
      if (!isEmpty) {
        onStop(await startDemo(started, settings, { ...choices, onEvent: createFarmReporter(print) }));
        await bridge?.adopt(started);
      }
      print(startMessage(started, settings.siloSegment, terminal.columns !== null));
    });
  });
};

type DemoChoices = ReturnType<typeof farmChoices> & Pick<FarmOptions, 'onEvent'>;

async function startDemo(started: Started, settings: Settings, choices: DemoChoices): Promise<Stop> {
  if (started.adminKey.isElsewhere) {
    throw new StartError('the database has an admin key already; set GRANARY_ADMIN_KEY to one of your own');
  }
  const farm = await startFarm({
    ...choices,
    historyDays: Math.min(choices.historyDays, settings.rawRetentionDays),
    baseUrl: started.httpUrl,
    siloSegment: settings.siloSegment,
    fieldSegment: settings.fieldSegment,
    adminKey: started.adminKey.key,
    mqttUrl: started.mqttUrl,
    credentialsFile: farmCredentialsFile(settings.dataDir),
  });
  return () => farm.stop();
}
