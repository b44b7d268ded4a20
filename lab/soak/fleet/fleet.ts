import type { FleetEvents } from './fleet-device.ts';
import { FleetRover } from './fleet-rover.ts';
import { FleetSilo } from './fleet-silo.ts';
import type { AcknowledgedReading, FleetOrder, FleetPlan, FleetReport } from './protocol.ts';

const TELL_MS = 250;

const tell = (report: FleetReport): void => void process.send?.(report);

/** The devices of a run, in a process of their own, so that they do not share a thread with callers and faults. */
class Fleet {
  readonly #devices = new Map<string, FleetSilo | FleetRover>();
  readonly #timers: NodeJS.Timeout[] = [];
  #acknowledged: AcknowledgedReading[] = [];

  begin({ mqttUrl, members, intervalMs }: FleetPlan): void {
    const events: FleetEvents = {
      acknowledged: (reading) => void this.#acknowledged.push(reading),
      received: (deviceId, command, jobId) =>
        tell({ kind: 'received', received: { deviceId, command, jobId, atMs: Date.now() } }),
    };
    members.forEach((member, number) => {
      const Device = member.kind === 'silo' ? FleetSilo : FleetRover;
      const device = new Device(mqttUrl, number, member, events);
      this.#devices.set(member.deviceId, device);
      // Spread over the interval, because real devices do not report at the same moment.
      const first = setTimeout(
        () => {
          device.report();
          this.#timers.push(setInterval(() => device.report(), intervalMs));
        },
        (intervalMs * number) / members.length,
      );
      this.#timers.push(first);
    });
    this.#timers.push(setInterval(() => this.#tell(), TELL_MS));
  }

  silo(deviceId: string): FleetSilo {
    const device = this.#devices.get(deviceId);
    if (device instanceof FleetSilo) return device;
    throw new Error(`there is no silo ${deviceId}`);
  }

  async end(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all([...this.#devices.values()].map((device) => device.leave()));
    this.#tell();
  }

  #tell(): void {
    const readings = this.#acknowledged;
    this.#acknowledged = [];
    if (readings.length > 0) tell({ kind: 'acknowledged', atMs: Date.now(), readings });
    const connected = [...this.#devices.values()].filter(({ isConnected }) => isConnected);
    tell({ kind: 'connected', count: connected.length });
  }
}

const fleet = new Fleet();
process.on('message', (order: FleetOrder) => {
  if (order.kind === 'begin') fleet.begin(order.plan);
  else if (order.kind === 'weigh') fleet.silo(order.deviceId).setWeight(order.weightKg);
  else if (order.kind === 'report_late') {
    for (const deviceId of order.deviceIds) fleet.silo(deviceId).reportAt(order.tsMs);
  } else void fleet.end().then(() => tell({ kind: 'ended' }));
});
// The parent process has ended.
process.once('disconnect', () => process.exit());
