import type { AttachedDevice, DriverParts, Sample } from './driver.ts';
import { type DriverName, loadDriver } from './drivers.ts';
import { ReadError } from './read-error.ts';

/** The parts for a read by hand: nothing is logged, and endpoints have no login. */
const PARTS: DriverParts = { now: Date.now, log: () => undefined, credentials: () => null };

/** Reads a device once, or waits for the first message of a device that sends without being asked. Fails with a `ReadError`. */
export async function readOnce(name: DriverName, device: AttachedDevice, waitMs: number): Promise<Sample> {
  const driver = await loadDriver(name);
  if (driver.readOnce !== undefined) return await driver.readOnce(device, PARTS);
  const { promise, resolve, reject } = Promise.withResolvers<Sample>();
  const running = driver.makeDriver(
    [device],
    { sample: resolve, failed: (_, { code, detail }) => reject(new ReadError(code, detail)) },
    PARTS,
  );
  const timer = setTimeout(
    () => reject(new ReadError('no_data', `nothing came within ${waitMs / 1_000} s`)),
    waitMs,
  );
  try {
    await running.start();
    return await promise;
  } finally {
    clearTimeout(timer);
    await running.stop();
  }
}
