export interface AlertCounts {
  readonly expected: number;
  readonly raised: number;
  readonly duplicated: number;
  readonly missing: number;
}

/** How often each silo fell below its threshold, against the alerts that were raised about it. */
export class AlertLedger {
  readonly #expected = new Map<string, number>();

  expected(deviceId: string): void {
    this.#expected.set(deviceId, (this.#expected.get(deviceId) ?? 0) + 1);
  }

  /** `raised`: one device id for each alert. */
  compared(raised: readonly string[]): AlertCounts {
    const counts = new Map<string, number>();
    for (const deviceId of raised) counts.set(deviceId, (counts.get(deviceId) ?? 0) + 1);
    let duplicated = 0;
    let missing = 0;
    for (const deviceId of new Set([...counts.keys(), ...this.#expected.keys()])) {
      const difference = (counts.get(deviceId) ?? 0) - (this.#expected.get(deviceId) ?? 0);
      duplicated += Math.max(0, difference);
      missing += Math.max(0, -difference);
    }
    const expected = [...this.#expected.values()].reduce((sum, count) => sum + count, 0);
    return { expected, raised: raised.length, duplicated, missing };
  }
}
