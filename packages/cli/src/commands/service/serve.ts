import { MINUTE_MS } from '@granary/contract/time';
import { createService, type Service } from '@granary/server/compose';
import { readSettings } from '@granary/server/process/settings';
import { personName } from '../../access/service-access.ts';
import type { Define } from '../../program/environment.ts';
import { withExamples } from '../../program/options.ts';
import { startMessage } from '../../running/start-message.ts';
import { runUntilSignal } from '../../running/until-signal.ts';

/** The link is printed only at a terminal, because the output of a service is usually a log. */
const SIGN_IN_MS = 10 * MINUTE_MS;

const SETTINGS = `
It is set up by environment variables, the most used of which are:

  GRANARY_HTTP_HOST, GRANARY_HTTP_PORT   where to answer HTTP (127.0.0.1, 8080)
  GRANARY_MQTT_HOST, GRANARY_MQTT_PORT   where devices connect (127.0.0.1, 1883)
  GRANARY_DATA_DIR                       where everything is kept (.granary)
  GRANARY_DATABASE_URL                   a postgres:// address, to keep readings there instead
  GRANARY_ADMIN_KEY                      an admin key of your own, at least 32 characters
  GRANARY_TLS_CERT, GRANARY_TLS_KEY      PEM files for HTTPS on 8443 and MQTT over TLS on 8883; SIGHUP reads them again
  GRANARY_LOG_LEVEL                      debug, info, warn, error or silent (info)`;

export const serve: Define = (command, { env, print, terminal }) => {
  command
    .description('Starts the service.')
    .addHelpText('after', SETTINGS)
    .action(async () => {
      const settings = readSettings(env);
      await runUntilSignal(async (onStop) => {
        const isTerminal = terminal.columns !== null;
        const service = createService(
          settings,
          isTerminal ? { signInLink: { validMs: SIGN_IN_MS, account: personName(env) } } : {},
        );
        onStop(() => service.stop());
        if (settings.tlsCert !== null) reloadOnHangup(service);
        print(startMessage(await service.start(), settings.siloSegment, isTerminal));
      });
    });
  withExamples(
    command,
    'granary serve',
    'GRANARY_HTTP_PORT=9080 GRANARY_DATA_DIR=/var/lib/granary granary serve',
  );
};

/** Reads the certificate again at SIGHUP. On a terminal this signal means that the terminal was closed, and ends the process as usual. */
function reloadOnHangup(service: Service): void {
  if (process.stdin.isTTY !== true) process.on('SIGHUP', () => void service.reload());
}
