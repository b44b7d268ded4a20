import { createService } from '@granary/server/compose';
import { readSettings } from '@granary/server/settings';
import { startFarm } from '@granary/simulator/start-farm';
import { type Command, parseOptions } from '../command.ts';
import { FARM_HELP, FARM_OPTIONS, farmChoices, farmCredentialsFile } from '../farm-options.ts';
import { createFarmReporter } from '../farm-reporter.ts';
import { startMessage } from '../start-message.ts';
import { runUntilSignal } from '../until-signal.ts';

export const demo: Command = {
  help: `Usage: granary demo [options]

Starts the service with a simulated farm: silos, rovers, a drone and weather stations that connect over MQTT, as real ones would. The
service is set up as with granary serve.

${FARM_HELP}`,

  async run(args, { env, print }) {
    const { values } = parseOptions({ args, options: FARM_OPTIONS });
    const choices = farmChoices(values);
    const settings = readSettings(env);
    await runUntilSignal(async (onStop) => {
      const service = createService(settings);
      onStop(() => service.stop());
      const started = await service.start();
      const farm = await startFarm({
        ...choices,
        historyDays: Math.min(choices.historyDays, settings.rawRetentionDays),
        baseUrl: started.httpUrl,
        siloSegment: settings.siloSegment,
        fieldSegment: settings.fieldSegment,
        adminKey: started.adminKey.key,
        mqttUrl: started.mqttUrl,
        credentialsFile: farmCredentialsFile(settings.dataDir),
        onEvent: createFarmReporter(print),
      });
      onStop(() => farm.stop());
      print(startMessage(started, settings.siloSegment));
    });
    return 0;
  },
};
