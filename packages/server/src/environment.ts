import type { Logger } from './logging/logger.ts';
import type { WebhookOptions } from './webhooks/worker.ts';

/** What surrounds a service; tests replace parts of it. */
export interface Environment {
  readonly now?: () => number;
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
