import type {
  Ending,
  LinkDevice,
  LinkEvent,
  LinkHandler,
  LinkRejection,
  MessageOutcome,
  UplinkMessage,
} from '@granary/link/port';
import type { IngestPipeline } from '../ingest/pipeline.ts';
import type { TelemetryIntake } from '../ingest/telemetry-intake.ts';
import { type PortCalls, passable } from './port-calls.ts';
import type { MainThreadCalls } from './protocol.ts';

interface HandlerParts {
  readonly main: PortCalls<MainThreadCalls>;
  readonly intake: Pick<TelemetryIntake, 'telemetry' | 'rejected'>;
  readonly pipeline: Pick<IngestPipeline, 'isHolding'>;
}

/** Takes in telemetry in this thread, and passes everything else to the main thread. */
export class ThreadHandler implements LinkHandler {
  readonly #parts: HandlerParts;

  constructor(parts: HandlerParts) {
    this.#parts = parts;
  }

  get isHolding(): boolean {
    return this.#parts.pipeline.isHolding;
  }

  authenticate(deviceId: string, secret: string, remoteAddress: string): Promise<LinkDevice | null> {
    return this.#parts.main.ask('authenticate', deviceId, secret, remoteAddress);
  }

  received(device: LinkDevice, message: UplinkMessage): Promise<MessageOutcome> {
    const { main, intake } = this.#parts;
    if (message.subject !== 'telemetry') return main.ask('received', device, message);
    const { telemetry } = message;
    return intake.telemetry(device, Array.isArray(telemetry) ? telemetry : [telemetry]);
  }

  rejected(device: LinkDevice, rejection: LinkRejection): Promise<void> {
    return this.#parts.intake.rejected(device, rejection);
  }

  connected(device: LinkDevice): void {
    this.#parts.main.tell('connected', device);
  }

  disconnected(device: LinkDevice, ending: Ending): void {
    this.#parts.main.tell('disconnected', device, ending);
  }

  reachable(device: LinkDevice): void {
    this.#parts.main.tell('reachable', device);
  }

  unreachable(device: LinkDevice): void {
    this.#parts.main.tell('unreachable', device);
  }

  awaitsConfiguration(device: LinkDevice): void {
    this.#parts.main.tell('awaitsConfiguration', device);
  }

  observed(event: LinkEvent): void {
    this.#parts.main.tell('observed', 'cause' in event ? { ...event, cause: passable(event.cause) } : event);
  }
}
