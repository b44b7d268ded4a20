import type { BrokerKind } from '@granary/core/nodes';
import type { WebhookOptions } from './background/webhooks/worker.ts';
import type { Logger } from './process/logging/logger.ts';

/** What surrounds a service; tests replace parts of it. */
export interface Environment {
  readonly now?: () => number;
  /** The clock of the machine. */
  readonly systemNow?: () => number;
  /** Where devices connect; without it to the service itself. */
  readonly broker?: BrokerKind;
  readonly logger?: Logger;
  readonly webhooks?: WebhookOptions;
  /** Used where the settings demand an access log. */
  readonly accessLog?: Logger;
  /** The built operators' page, if it is not at its usual place. */
  readonly consoleFolder?: string;
  /** How long `consoleUrl` signs in, once; without it nobody is signed in. */
  readonly signInLinkMs?: number;
  /** Called when a thread of the device link has ended by itself, instead of ending the process. */
  readonly threadEnded?: (error: Error) => void;
}
