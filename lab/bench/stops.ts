import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchDevice } from './device.ts';
import { ask, SILOS } from './farm.ts';
import type { ServiceProcess } from './service-process.ts';

/** Starts and stops operations one after the other; the times from the requests of the stops to their arrival at the device. */
export async function timeStops(
  service: ServiceProcess,
  device: BenchDevice,
  deviceId: string,
  count: number,
): Promise<number[]> {
  const operations = `${SILOS}/${deviceId}/operations`;
  const latenciesMs: number[] = [];
  for (let stop = 0; stop < count; stop++) {
    await device.weigh(10_000);
    const started = device.next('start');
    const body = { amount: 100, rate: 10, target_container: 'bench' };
    const answer = await ask(service, `${operations}/discharge`, body);
    const { data } = (await answer.json()) as { data: { operation_id: string } };
    await started;
    const reached = device.next('stop');
    const askedMs = performance.now();
    await ask(service, `${operations}/${data.operation_id}/stop`, null);
    latenciesMs.push((await reached) - askedMs);
    await ended(service, `${operations}/${data.operation_id}`);
  }
  return latenciesMs;
}

async function ended(service: ServiceProcess, operation: string): Promise<void> {
  for (;;) {
    const { data } = (await (await ask(service, operation)).json()) as { data: { status: string } };
    if (data.status === 'stopped') return;
    await sleep(5);
  }
}
