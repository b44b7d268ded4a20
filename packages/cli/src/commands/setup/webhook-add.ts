import { ALERT_SEVERITIES, type AlertSeverity } from '@granary/contract/alerts';
import { EVENT_TYPES, type EventType } from '@granary/contract/events';
import type { Command } from 'commander';
import { asActor } from '../../access/actor.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import type { Environment } from '../../frame/environment.ts';
import { UsageError } from '../../frame/failures.ts';
import { collect, given, withAccess, withExamples } from '../../frame/options.ts';
import { outputOf } from '../../frame/output.ts';

interface Values extends AccessValues {
  readonly description?: string;
  readonly type?: readonly string[];
  readonly device?: readonly string[];
  readonly facility?: readonly string[];
  readonly severity?: readonly string[];
}

export function defineWebhookAdd(command: Command, environment: Environment): void {
  command
    .argument('<url>', 'where events are sent to')
    .description('Registers a receiver of events, and shows the secret of its signatures this once.')
    .option('--description <text>', 'what it is for')
    .option('--type <type>', 'only events of this type; may be repeated', collect)
    .option('--device <id>', 'only events of this device; may be repeated', collect)
    .option('--facility <name>', 'only events of this facility; may be repeated', collect)
    .option('--severity <severity>', 'only alerts of this severity; may be repeated', collect);
  withExamples(
    command,
    'granary webhooks add https://example.com/alerts --type alert.raised --severity critical',
  );
  withAccess(command).action(async (url: string, values: Values) => {
    const { env } = environment;
    const { description, type, device, facility, severity } = values;
    const wanted = given({
      description,
      device_ids: device && [...device],
      facilities: facility && [...facility],
      event_types: type?.map((text) => knownOf<EventType>(text, EVENT_TYPES, '--type')),
      severities: severity?.map((text) => knownOf<AlertSeverity>(text, ALERT_SEVERITIES, '--severity')),
    });
    const issued = await accessClient(values, env).webhooks.create({ url, ...wanted }, asActor(env));
    const text = () =>
      `webhook  ${issued.webhook_id}\nsecret   ${issued.secret}\n\nThe secret is shown this once.`;
    outputOf(environment, values.json).one(issued, text);
  });
}

function knownOf<Known extends string>(text: string, known: readonly Known[], option: string): Known {
  const found = known.find((one) => one === text);
  if (found !== undefined) return found;
  throw new UsageError(`${option}: there is no "${text}"`, { cure: `There are ${known.join(', ')}.` });
}
