import type { FarmEvent } from '@granary/simulator/start-farm';

/** Prints the events of the simulated farm, without a line for every device that connects normally. */
export function createFarmReporter(print: (line: string) => void): (event: FarmEvent) => void {
  const down = new Set<string>();
  /** Each trouble is printed once, because it would otherwise appear every second. */
  const printed = new Set<string>();
  return (event) => {
    switch (event.kind) {
      case 'registered':
        print(
          `farm: registered ${event.devices.map(({ ids, title }) => `${ids.length} ${title}`).join(', ')}`,
        );
        break;
      case 'history':
        print(
          `farm: writing ${event.days} days of history: ${event.devicesDone} of ${event.devicesTotal} devices`,
        );
        break;
      case 'history-failed':
        print(`farm: the history could not be written: ${event.reason}`);
        break;
      case 'trouble': {
        const line = `farm: ${event.deviceId} has trouble: ${event.reason}`;
        if (!printed.has(line)) print(line);
        printed.add(line);
        break;
      }
      case 'link':
        if (event.change.state === 'down') {
          down.add(event.deviceId);
          print(`farm: ${event.deviceId} is not connected: ${event.change.reason}`);
        } else if (down.delete(event.deviceId)) {
          print(`farm: ${event.deviceId} is connected again`);
        }
        break;
    }
  };
}
