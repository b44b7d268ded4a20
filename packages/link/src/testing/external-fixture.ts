import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { ExternalLink } from '../external/external-link.ts';
import type { BrokerEvent, ExternalHandler } from '../external/handler.ts';
import { EXTERNAL_LIMITS, type ExternalLimits } from '../external/limits.ts';
import type { LinkDevice } from '../port.ts';
import { RecordingHandler } from './fixture.ts';
import type { MosquittoBroker } from './mosquitto-broker.ts';

const POLL_MS = 10;

/** Short waits, so that a test sees what happens after them. */
export const QUICK: ExternalLimits = {
  ...EXTERNAL_LIMITS,
  ...{ reconnectMs: 20, reconnectMsMax: 100, takeoverMs: 50, drainedMs: 300, holdingMsMax: 300 },
  ...{ statementMs: 500, settleMs: 100 },
};

/** Every device except `unknown-device` is a registered silo. */
export class ExternalRecordingHandler extends RecordingHandler implements ExternalHandler {
  readonly brokerEvents: BrokerEvent[] = [];
  /** `find` fails while the storage is away. */
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

export async function startNode(
  t: TestContext,
  broker: Pick<MosquittoBroker, 'access'>,
  clientId: string,
  limits: Partial<ExternalLimits> = {},
): Promise<StartedNode> {
  const handler = new ExternalRecordingHandler();
  const link = new ExternalLink(handler, {
    ...{ broker: broker.access, clientId, limits: { ...QUICK, ...limits } },
  });
  await link.start();
  t.after(() => link.stop());
  return { link, handler };
}

export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await setTimeout(POLL_MS);
}
