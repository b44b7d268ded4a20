/** A command as it was received. */
export type Delivered = Readonly<Record<string, unknown>> & { readonly command: string };

interface Movement {
  firstMs: number;
  lastMs: number;
}

/** Commands that cause movement may reach a device once; all others may be repeated. */
const SENT_ONCE = new Set(['start', 'execute']);

/** Records what a device received and did, outside of the memory of the device. */
export class DeviceLog {
  readonly received: { readonly command: Delivered; readonly atMs: number }[] = [];
  /** The number of times that each operation, command or mission was begun. */
  readonly executions = new Map<string, number>();
  readonly movements = new Map<string, Movement[]>();

  deliver(command: Delivered, atMs: number): void {
    this.received.push({ command, atMs });
  }

  execute(id: string): void {
    this.executions.set(id, (this.executions.get(id) ?? 0) + 1);
    this.movements.set(id, [
      ...(this.movements.get(id) ?? []),
      { firstMs: Number.POSITIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY },
    ]);
  }

  move(id: string, atMs: number): void {
    const movement = this.movements.get(id)?.at(-1);
    if (movement === undefined) throw new Error(`moved for ${id}, which was never begun`);
    movement.firstMs = Math.min(movement.firstMs, atMs);
    movement.lastMs = Math.max(movement.lastMs, atMs);
  }

  countOf(command: string, id: string): number {
    return this.received.filter((one) => one.command.command === command && idOf(one.command) === id).length;
  }

  /** The messages that came at or after the time at which they expire. */
  get late(): Delivered[] {
    return this.received
      .filter(({ command, atMs }) => atMs > expiresAtMs(command))
      .map(({ command }) => command);
  }

  get executedTwice(): string[] {
    return [...this.executions].filter(([, count]) => count > 1).map(([id]) => id);
  }

  get deliveredTwice(): string[] {
    const counts = new Map<string, number>();
    for (const { command } of this.received) {
      if (!SENT_ONCE.has(command.command) || command['name'] === 'emergency_stop') continue;
      counts.set(idOf(command), (counts.get(idOf(command)) ?? 0) + 1);
    }
    return [...counts].filter(([, count]) => count > 1).map(([id]) => id);
  }

  lastMovedAtMs(id: string): number {
    return Math.max(Number.NEGATIVE_INFINITY, ...(this.movements.get(id) ?? []).map(({ lastMs }) => lastMs));
  }

  movedBetween(fromMs: number, toMs: number): string[] {
    const overlaps = ({ firstMs, lastMs }: Movement): boolean => firstMs < toMs && lastMs > fromMs;
    return [...this.movements].filter(([, movements]) => movements.some(overlaps)).map(([id]) => id);
  }
}

export function idOf(command: Delivered): string {
  const id = command['operation_id'] ?? command['command_id'] ?? command['mission_id'];
  return typeof id === 'string' ? id : '';
}

function expiresAtMs({ expires_at }: Delivered): number {
  return typeof expires_at === 'string' ? Date.parse(expires_at) : Number.POSITIVE_INFINITY;
}
