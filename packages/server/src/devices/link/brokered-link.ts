import { ExternalLink, type ExternalLinkOptions } from '@granary/link/external/external-link';
import type { BrokerEvent, ExternalHandler } from '@granary/link/external/handler';
import type { BrokerAddresses, LinkDevice, LinkHandler } from '@granary/link/port';
import type { Logger } from '../../process/logging/logger.ts';
import { StartError } from '../../process/start-error.ts';
import { type DeviceAccess, NO_DEVICE_ACCESS } from '../broker-access/device-access.ts';
import type { DynamicAccess } from '../broker-access/dynamic-access.ts';
import type { DeviceDirectory } from '../device-directory.ts';
import type { DeviceLog } from '../device-log.ts';
import { isTemporary } from '../ingest/telemetry-intake.ts';
import type { MemberFigures, ServiceLink } from './service-link.ts';

interface BrokeredParts {
  readonly handler: LinkHandler;
  readonly directory: Pick<DeviceDirectory, 'findForLink'>;
  readonly logger: Logger;
  /** The log for lines about one device, of which there may be many. */
  readonly log: DeviceLog;
  /** `null` where people give the broker the secrets of devices. */
  readonly access: DynamicAccess | null;
}

/** The device link through an external broker, in the main thread. */
export class BrokeredLink extends ExternalLink implements ServiceLink {
  readonly access: DeviceAccess;
  readonly #dynamicAccess: DynamicAccess | null;
  readonly #options: ExternalLinkOptions;

  constructor(parts: BrokeredParts, options: ExternalLinkOptions) {
    super(parts.handler, new BrokeredHandler(parts), options);
    this.#dynamicAccess = parts.access;
    this.access = parts.access ?? NO_DEVICE_ACCESS;
    this.#options = options;
  }

  override async start(): Promise<BrokerAddresses> {
    try {
      // The device access starts first, because it gives the service the rights that the other connections need.
      await this.#dynamicAccess?.start();
      return await super.start();
    } catch (error) {
      const { host, port } = this.#options.broker;
      const reason = error instanceof Error ? error.message : String(error);
      throw new StartError(`GRANARY_BROKER_URL (${host}:${port}): ${reason}`, { cause: error });
    }
  }

  override async stop(): Promise<void> {
    await this.#dynamicAccess?.stop();
    await super.stop();
  }

  forgetSensors(): void {
    // There is nothing to do: the sensors are cached in this thread only, where they were dropped already.
  }

  async memberFigures(): Promise<MemberFigures[]> {
    const { openCount, totals } = await this.figures();
    return [{ openCount, totals, ingest: null, writes: null }];
  }
}

class BrokeredHandler implements ExternalHandler {
  readonly #parts: BrokeredParts;
  /** The reason for which each connection was lost: further attempts fail for the same reason, which is logged once. */
  readonly #lost = new Map<string, string>();

  constructor(parts: BrokeredParts) {
    this.#parts = parts;
  }

  /** A device that cannot be read because of a fault must not hold up the messages of the others. */
  async find(deviceId: string): Promise<LinkDevice | null> {
    const { directory, log } = this.#parts;
    try {
      return await directory.findForLink(deviceId);
    } catch (error) {
      if (isTemporary(error)) throw error;
      log.error(deviceId, { err: error }, 'the device cannot be looked up, so its message is ignored');
      return null;
    }
  }

  brokerEvent(event: BrokerEvent): void {
    const { logger, log } = this.#parts;
    switch (event.kind) {
      case 'connected':
        this.#lost.delete(event.connection);
        logger.info({ connection: event.connection, mqtt: event.version }, 'connected to the broker');
        break;
      case 'lost':
        if (this.#lost.get(event.connection) === event.reason) break;
        this.#lost.set(event.connection, event.reason);
        logger.warn({ connection: event.connection, reason: event.reason }, 'no connection to the broker');
        break;
      case 'passed_on':
        logger.info('this node leaves the messages of devices to the one whose turn it is');
        break;
      case 'session_forgotten':
        logger.error(
          'the broker has forgotten the session of the service, and what it acknowledged to devices meanwhile is lost; does it keep sessions on disk?',
        );
        break;
      case 'session_limited':
        logger.warn(
          { expiry_s: event.expiryS },
          'while no node is connected, the broker keeps messages of devices for this time only; set it to keep sessions longer',
        );
        break;
      case 'unusable':
        log.warn(
          event.deviceId,
          { topic: event.topic, reason: event.reason },
          'message from the broker ignored',
        );
        break;
    }
  }
}
