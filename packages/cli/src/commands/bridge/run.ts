import { Bridge, SiteError } from '@granary/bridge/bridge';
import { faultLine } from '@granary/bridge/mapping/yaml-document';
import { SecretsError } from '@granary/bridge/site/secrets';
import { JournalInUseError } from '@granary/bridge/uplink/journal';
import { createLogger, isReadableFormat } from '@granary/server/process/logging/logger';
import { VERSION } from '@granary/server/process/version';
import { Option } from 'commander';
import type { Define } from '../../program/environment.ts';
import { CommandFailure, EXIT } from '../../program/explain.ts';
import { withExamples } from '../../program/options.ts';
import { runUntilSignal } from '../../running/until-signal.ts';

interface RunValues {
  readonly site: string;
  readonly supervised?: boolean;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}

export const run: Define = (command, { env, printError }) => {
  command
    .description(
      'Reads the devices of a site file and sends what they say to the service. It goes on while the service is away, reads the file again when it changes, and keeps the last good one.',
    )
    .requiredOption('--site <file>', 'the site file')
    .option('--log-level <level>', 'debug, info, warn or error', 'info')
    .addOption(new Option('--supervised', 'end when the input is closed').hideHelp())
    .action(async ({ site: siteFile, logLevel, supervised }: RunValues) => {
      if (supervised === true) endWithInput();
      const logger = createLogger(logLevel, isReadableFormat('auto'));
      const bridge = new Bridge({
        siteFile,
        version: VERSION,
        serviceUrl: env['GRANARY_URL'] ?? null,
        mqttUrl: env['GRANARY_MQTT_URL'] ?? null,
        log: (level, message, fields) => logger[level](fields, message),
      });
      await runUntilSignal(async (onStop) => {
        onStop(() => bridge.stop());
        await bridge.start().catch((error: unknown) => {
          if (error instanceof SecretsError || error instanceof JournalInUseError)
            throw new CommandFailure(error.message, { cause: error, exitCode: EXIT.failed });
          if (!(error instanceof SiteError)) throw error;
          for (const fault of error.faults) printError(faultLine(fault.file, fault));
          throw new CommandFailure(`the site file ${siteFile} cannot be used`, {
            cause: error,
            exitCode: EXIT.failed,
            cure: 'Mend the lines above.',
          });
        });
      });
    });
  withExamples(command, 'granary bridge run --site site.yaml');
};

/** Ends the bridge when the pipe is closed, because the service that has started this process is then gone. */
function endWithInput(): void {
  process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM'));
  process.stdin.on('error', () => process.kill(process.pid, 'SIGTERM'));
  process.stdin.resume();
  // The process may end before the service closes its end of the pipe.
  process.stdin.unref();
}
