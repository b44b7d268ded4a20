import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { ExternalLink } from '@granary/link/external/external-link';
import type { BrokerEvent, ExternalHandler } from '@granary/link/external/handler';
import { EXTERNAL_LIMITS, type ExternalLimits } from '@granary/link/external/limits';
import { ALWAYS_OWN, type CollectorTurn } from '@granary/link/external/turn';
import type { LinkDevice } from '@granary/link/port';
import { RecordingHandler } from './fixture.ts';
import type { MosquittoBroker } from './mosquitto-broker.ts';

const POLL_MS = 10;

/** Short waits, so that a test sees what happens after them. */
export const QUICK: ExternalLimits = {
  ...EXTERNAL_LIMITS,
  reconnectMs: 20,
  reconnectMsMax: 100,
  startMsMax: 10_000,
  settleMs: 100,
};

/** Every device except `unknown-device` is a registered silo. */
class ExternalRecordingHandler extends RecordingHandler implements ExternalHandler {
  readonly brokerEvents: BrokerEvent[] = [];
  /** True while the storage is away, so that `find` fails. */
  isStorageAway = false;

  async find(deviceId: string): Promise<LinkDevice | null> {
    if (this.isStorageAway) throw new Error('storage is down');
    return deviceId === 'unknown-device' ? null : { deviceNo: 1, deviceId, profile: 'silo_scale' };
  }

  brokerEvent(event: BrokerEvent): void {
    this.brokerEvents.push(event);
  }

  /** The weights of the readings that were received, in their order. */
  get weights(): number[] {
    return this.messages.flatMap((message) =>
      message.subject === 'telemetry' && 'weight' in message.telemetry
        ? [Number(message.telemetry.weight)]
        : [],
    );
  }
}

interface StartedNode {
  readonly link: ExternalLink;
  readonly handler: ExternalRecordingHandler;
}

/** A turn that a test gives and withdraws. */
export class GivenTurn implements CollectorTurn {
  readonly asked: boolean[] = [];
  isOwn: boolean;

  constructor(isOwn: boolean) {
    this.isOwn = isOwn;
  }

  async ask(reachesBroker: boolean): Promise<void> {
    this.asked.push(reachesBroker);
  }
}

interface NodeOptions {
  readonly limits?: Partial<ExternalLimits>;
  readonly turn?: CollectorTurn;
}

export async function startNode(
  t: TestContext,
  broker: Pick<MosquittoBroker, 'access'>,
  nodeName: string,
  { limits = {}, turn = ALWAYS_OWN }: NodeOptions = {},
): Promise<StartedNode> {
  const handler = new ExternalRecordingHandler();
  const link = new ExternalLink(handler, handler, {
    broker: broker.access,
    nodeName,
    turn,
    limits: { ...QUICK, ...limits },
  });
  await link.start();
  t.after(() => link.stop());
  return { link, handler };
}

export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await setTimeout(POLL_MS);
}
