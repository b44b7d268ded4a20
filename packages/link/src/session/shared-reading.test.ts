import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import { connectRaw, publishPacket, READING, startLink } from '@granary/testing/link/fixture';
import { IN_FLIGHT_BYTES_MAX, IN_FLIGHT_BYTES_MIN, LINK_LIMITS } from '../limits.ts';
import { SharedReading } from './shared-reading.ts';

/** With this many connections the share of each is smaller than the largest message. */
const OTHERS = Array.from({ length: 15 }, (_, index) => `silo-${index + 2}`);

const shareOf = (size: number, isHolding = false): number =>
  new SharedReading({ size }, { isHolding }, LINK_LIMITS).inFlightBytesMax;

describe('the bytes that may wait to be stored', () => {
  it('are shared by the connections, within a minimum and a maximum for each', () => {
    assert.equal(shareOf(0), IN_FLIGHT_BYTES_MAX);
    assert.equal(shareOf(1), IN_FLIGHT_BYTES_MAX);
    assert.equal(shareOf(100), LINK_LIMITS.inFlightBytesTotal / 100);
    assert.equal(shareOf(10_000), IN_FLIGHT_BYTES_MIN);
  });

  it('are the maximum while the storage is not available', () => {
    assert.equal(shareOf(10_000, true), IN_FLIGHT_BYTES_MAX);
  });

  it('pause a device with much unwritten, and let it be read again when the storage fails, so that its keep-alive is answered', async (t) => {
    const { broker, handler, port } = await startLink(t);
    const { promise, resolve } = Promise.withResolvers<void>();
    handler.disk = promise;
    const device = await connectRaw(t, port, 'silo-1');
    const [other] = await Promise.all(OTHERS.map((deviceId) => connectRaw(t, port, deviceId)));
    const large = JSON.stringify(READING).padEnd(shareOf(broker.openCount));
    device.send(publishPacket(topicOf('silo-1', 'telemetry'), large, 1, 1), { cmd: 'pingreq' });
    await handler.until(() => handler.messages.length === 1);
    for (let round = 0; round < 20; round++) {
      other?.send({ cmd: 'pingreq' });
      await other?.packetCount(2 + round);
    }
    assert.deepEqual(
      device.packets.map(({ cmd }) => cmd),
      ['connack'],
    );
    handler.isHolding = true;
    await device.packetCount(2);
    assert.equal(device.packets.at(-1)?.cmd, 'pingresp');
    resolve();
    await device.packetCount(3);
  });
});
