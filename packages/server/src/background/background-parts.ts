import type { App } from '@granary/app/app';
import type { BrokerKind } from '@granary/core/nodes';
import { URGENCIES } from '@granary/core/notifications/record';
import type { DeviceParts } from '../devices/device-parts.ts';
import { LinkObserver } from '../devices/link-observer.ts';
import type { Keyring } from '../process/keys/keyring.ts';
import type { Logger } from '../process/logging/logger.ts';
import { storeLocation } from '../process/open-store.ts';
import type { Settings } from '../process/settings.ts';
import { AlertEvaluator, Uptime } from './alert-evaluator.ts';
import { backupScheduleOf } from './backup/backup-schedule.ts';
import { EventFeed } from './event-feed.ts';
import { ExportRunner } from './exports/export-runner.ts';
import { Forecaster } from './foresight/forecaster.ts';
import { Pusher } from './notifications/pusher.ts';
import { byMail, byPush, NotificationSender } from './notifications/sender.ts';
import { NotificationWorker, openMailer, readersOf } from './notifications/worker.ts';
import { Reconciler } from './reconciler.ts';
import { SetAsideLog } from './set-aside-log.ts';
import { AddressGuard } from './webhooks/address-guard.ts';
import { type WebhookOptions, WebhookWorker } from './webhooks/worker.ts';
import type { Worker } from './worker.ts';

interface Given extends DeviceParts {
  readonly settings: Settings;
  readonly app: App;
  readonly broker: BrokerKind;
  readonly keyring: Keyring;
  readonly logger: Logger;
  readonly now: () => number;
  readonly webhookOptions: WebhookOptions;
}

export type BackgroundParts = Awaited<ReturnType<typeof composeBackground>>;

/** Composes the parts that work without a request. */
export async function composeBackground(given: Given) {
  const { settings, app, link, priorityCommands, keyring, logger, now, webhookOptions: options } = given;
  const mailer = await openMailer(settings);
  const setAside = new SetAsideLog(logger);
  const pusher = new Pusher({ app, settings, resolve: options.resolve, now });
  const notificationSenders = [byMail(mailer), byPush(pusher)].flatMap((way) =>
    URGENCIES.map((urgency) => new NotificationSender({ app, way, urgency, logger, now })),
  );
  const readers = readersOf(settings);
  const notificationSender = { wake: () => notificationSenders.forEach((one) => void one.wake()) };
  const sender = notificationSender;
  const notifications = new NotificationWorker({ app, sender, setAside, logger, now, readers });
  const addressGuard = new AddressGuard(settings.webhookAllowPrivate, options.resolve);
  const webhooks = new WebhookWorker({ webhooks: app.webhooks, addressGuard, logger, now, options });
  const feed = new EventFeed(app, logger);
  const { directory, declaredSensors, stopsInForce } = given;
  for (const observer of [keyring, directory, declaredSensors, stopsInForce, notifications, webhooks])
    feed.observe(observer);
  feed.observe(new LinkObserver(link));
  const isReceiving = given.broker === 'external' ? () => link.isListening : null;
  const uptime = new Uptime({ app, now, isReceiving });
  const evaluator = new AlertEvaluator({ app, uptime, setAside, logger });
  const backups = backupScheduleOf(settings, logger, now);
  const others = backups === null ? [] : [backups];
  const workers: readonly Worker[] = [...notificationSenders, notifications, webhooks, ...others];
  return {
    mailer,
    setAside,
    pusher,
    notificationSender,
    notifications,
    addressGuard,
    webhooks,
    feed,
    uptime,
    evaluator,
    reconciler: new Reconciler({
      app,
      link,
      priorityCommands,
      stopsInForce,
      evaluator,
      uptime,
      setAside,
      logger,
      now,
    }),
    backups,
    /** The workers that other parts know; they start after those of the slices. */
    workers,
    consoleUrl: readers.consoleUrl,
    exports: new ExportRunner(keyring),
    forecaster: new Forecaster({
      app,
      location: storeLocation(settings),
      timeZone: settings.timeZone,
      logger,
      now,
    }),
  };
}
