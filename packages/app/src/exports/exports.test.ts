import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { DAY_MS } from '@granary/contract/time';
import { describeEachEngine } from '@granary/testing/app/engines';
import { batchOf, NOW_MS, reading, registerDevice } from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';
import { beforeTime, type RawPosition } from '../telemetry/raw-row.ts';

const DEVICES = 4;
const TIMES = 25;

describeEachEngine('pages of raw readings', (engine) => {
  let app: App;
  const deviceNos: number[] = [];
  /** Several devices have readings of the same time, before and after midnight. */
  const timeOf = (index: number) => NOW_MS + DAY_MS / 2 - 10 + index;

  before(async () => {
    app = await engine.open();
    for (let index = 0; index < DEVICES; index++) deviceNos.push(await registerDevice(app));
    const readings = deviceNos.flatMap((deviceNo) =>
      Array.from({ length: TIMES }, (_, index) => reading(deviceNo, timeOf(index), { weight: index })),
    );
    await app.telemetry.append(batchOf({ readings }));
  });

  interface Wanted {
    readonly fromMs?: number;
    readonly toMs?: number;
    readonly deviceNos?: readonly number[] | null;
    readonly groups?: readonly number[] | null;
    readonly rowsMax: number;
    readonly scannedMax: number;
  }

  async function everyPage({ fromMs = 0, toMs = 2 * NOW_MS, ...wanted }: Wanted) {
    const found: string[] = [];
    let pages = 0;
    const filters = { deviceNos: null, groups: null, ...wanted };
    for (let after: RawPosition | null = beforeTime(fromMs); after !== null; pages++) {
      const { rows, next } = await app.exports.rawPage({ after, toMs, ...filters });
      assert.ok(rows.length <= wanted.rowsMax);
      for (const [tsMs, deviceNo, , a] of rows) found.push(`${tsMs} ${deviceNo} ${a}`);
      after = next;
    }
    return { found, pages };
  }

  const expected = (nos: readonly number[], from = 0, to = TIMES) =>
    Array.from({ length: to - from }, (_, index) =>
      nos.map((deviceNo) => `${timeOf(from + index)} ${deviceNo} ${from + index}`),
    ).flat();

  for (const rowsMax of [1, 3, 7, 1_000]) {
    for (const scannedMax of [1, 5, 1_000]) {
      test(`of ${rowsMax} rows, looking at ${scannedMax}: every row once and in order`, async () => {
        const sizes = { rowsMax, scannedMax };
        assert.deepEqual((await everyPage(sizes)).found, expected(deviceNos));
        const some = deviceNos.slice(1, 3);
        assert.deepEqual((await everyPage({ ...sizes, deviceNos: some })).found, expected(some));
        assert.deepEqual((await everyPage({ ...sizes, groups: [2] })).found, []);
        const range = { fromMs: timeOf(3), toMs: timeOf(9) };
        assert.deepEqual((await everyPage({ ...sizes, ...range })).found, expected(deviceNos, 3, 9));
      });
    }
  }

  test('a page that finds nothing still ends after the rows that it may look at', async () => {
    const { pages } = await everyPage({ deviceNos: [-7], rowsMax: 10, scannedMax: 10 });
    assert.ok(pages >= (DEVICES * TIMES) / 10);
  });
});
