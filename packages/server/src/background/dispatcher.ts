import type { App } from '@granary/app/app';
import type { CarryOut, Effect } from '@granary/app/effects';
import type { Delivery } from '@granary/link/port';
import type { DeclaredSensorsCache } from '../devices/declared-sensors.ts';
import type { DeviceDirectory } from '../devices/device-directory.ts';
import type { ServiceLink } from '../devices/link/service-link.ts';
import { type DeviceMessages, sendConfiguration } from '../devices/sending/device-messages.ts';
import type { Keyring } from '../process/keys/keyring.ts';
import type { AlertEvaluator } from './alert-evaluator.ts';
import type { EventFeed } from './event-feed.ts';
import type { NotificationSender } from './notifications/sender.ts';
import type { WebhookWorker } from './webhooks/worker.ts';

interface DispatcherParts {
  readonly app: {
    readonly operations: Pick<App['operations'], 'notSent'>;
    readonly commands: Pick<App['commands'], 'notSent'>;
    readonly missions: Pick<App['missions'], 'notSent'>;
  };
  readonly messages: Pick<DeviceMessages, 'send'>;
  readonly link: Pick<ServiceLink, 'sendConfiguration' | 'disconnect' | 'forgetSensors'>;
  readonly evaluator: Pick<AlertEvaluator, 'wake'>;
  readonly feed: Pick<EventFeed, 'wake'>;
  readonly keyring: Pick<Keyring, 'drop' | 'dropSessions' | 'accessChanged' | 'changesMissed'>;
  readonly directory: Pick<DeviceDirectory, 'dropSecret'>;
  readonly declaredSensors: Pick<DeclaredSensorsCache, 'drop'>;
  readonly notificationSender: Pick<NotificationSender, 'wake'>;
  readonly webhooks: Pick<WebhookWorker, 'wake'>;
  readonly now: () => number;
}

type SendMessage = Extract<Effect, { readonly kind: 'send_message' }>;

interface Sending {
  readonly message: SendMessage;
  readonly sent: Promise<Delivery>;
}

interface Unsent extends SendMessage {
  readonly delivery: Exclude<Delivery, 'sent'>;
}

/**
 * Carries out the effects of use cases after their commit. Only stops are also sent elsewhere, in `urgent`, because a stop
 * is sent to the device even when it cannot be stored.
 */
export class EffectDispatcher {
  #parts: DispatcherParts | null = null;

  /** A separate step, because the parts need the use cases and the use cases need `carryOut`; earlier effects are ignored. */
  connect(parts: DispatcherParts): void {
    this.#parts = parts;
  }

  /**
   * All messages are passed to the link before the first wait, so that the storage delays none of them. If it cannot be recorded
   * that one message was not sent, this is still recorded for the others.
   */
  readonly carryOut: CarryOut = async (effects, begunAtMs) => {
    if (this.#parts === null) return true;
    const parts = this.#parts;
    const sending = effects.flatMap((effect) => perform(parts, effect, begunAtMs) ?? []);
    const recorded = await Promise.allSettled(
      sending.map(async ({ message, sent }) => {
        const delivery = await sent;
        if (delivery !== 'sent') await recordNotSent(parts, { ...message, delivery });
        return delivery === 'sent';
      }),
    );
    const failed = recorded.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    return recorded.every((one) => one.status === 'fulfilled' && one.value);
  };
}

/** Carries out one effect. Returns the message if the effect passes one to the link, otherwise `null`. */
function perform(parts: DispatcherParts, effect: Effect, begunAtMs: number): Sending | null {
  switch (effect.kind) {
    case 'send_message':
      return { message: effect, sent: parts.messages.send(effect.deviceId, effect.message, begunAtMs) };
    case 'send_configuration':
      sendConfiguration(parts.link, effect.deviceId, effect);
      return null;
    case 'evaluate_alerts':
      parts.evaluator.wake(effect.deviceNos);
      return null;
    case 'events_logged':
      parts.feed.wake();
      return null;
    case 'credentials_replaced':
      parts.directory.dropSecret(effect.deviceId);
      parts.link.disconnect(effect.deviceId);
      return null;
    case 'device_updated':
      parts.declaredSensors.drop(effect.deviceId);
      parts.link.forgetSensors(effect.deviceId);
      return null;
    case 'key_ended':
      parts.keyring.drop(effect.keyId);
      return null;
    case 'sessions_ended':
      parts.keyring.dropSessions(effect.hashes);
      return null;
    case 'access_changed':
      parts.keyring.accessChanged(effect.ids);
      return null;
    case 'announcements_missed':
      parts.keyring.changesMissed();
      return null;
    case 'notifications_due':
      parts.notificationSender.wake();
      return null;
    case 'webhooks_changed':
      parts.webhooks.wake();
      return null;
  }
}

/** A message that can cause movement is not sent again, so its job records that immediately; all others are repeated. */
async function recordNotSent({ app, now }: DispatcherParts, unsent: Unsent): Promise<void> {
  const { deviceNo, message, delivery } = unsent;
  const nowMs = now();
  switch (message.command) {
    case 'start': {
      const { operation_id: operationId } = message;
      return await app.operations.notSent({ deviceNo, operationId, why: delivery, nowMs });
    }
    case 'execute': {
      const { command_id: commandId, expires_at: expiresAt } = message;
      // An emergency stop does not expire and is repeated by the next tick.
      if (expiresAt !== null) await app.commands.notSent({ deviceNo, commandId, delivery, nowMs });
      return;
    }
    case 'mission_start':
    case 'mission_resume': {
      const { mission_id: missionId } = message;
      const send = message.command === 'mission_start' ? 'start' : 'resume';
      return await app.missions.notSent({ deviceNo, missionId, send, nowMs });
    }
  }
}
