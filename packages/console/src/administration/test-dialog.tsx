import type { BridgeTest, TestedPoint } from '@granary/contract/bridges';
import { useConsole } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { formatNumber, formatValue } from '../kit/format.ts';
import { Failure } from '../kit/messages.tsx';
import { SeverityMark } from '../kit/severity-mark.tsx';
import { column, Table, titleColumn } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { useLoaded } from '../kit/use-loaded.ts';
import { locale, nameOfCode, texts } from '../texts.ts';

/** The words for a failure. A driver that is newer than this page may have a code that the page does not know; then its own words are shown. */
export function failureWords({
  code,
  detail,
}: {
  readonly code: string;
  readonly detail: string | null;
}): string {
  const words: Readonly<Record<string, string>> = texts.value.bridges.failures;
  return words[code] ?? detail ?? code;
}

interface TestDialogProps {
  readonly bridgeId: string;
  readonly deviceId: string;
  readonly onClose: () => void;
}

/** Reads a device now, and shows every point as it was received and as it is understood. */
export function TestDialog({ bridgeId, deviceId, onClose }: TestDialogProps) {
  const console = useConsole();
  const { bridges, common } = texts.value;
  const result = useLoaded(
    (signal) => console.client.bridges.test(bridgeId, { device_id: deviceId }, { signal, timeLimitMs: 0 }),
    [bridgeId, deviceId],
  );
  return (
    <Dialog title={bridges.testOf({ id: deviceId })} onClose={onClose}>
      {result.isLoading && <p role="status">{bridges.testing}</p>}
      <Failure of={result.failure} />
      {result.value !== undefined && <TestResult result={result.value} />}
      <div class="dialog-actions">
        <Button onPress={onClose}>{common.close}</Button>
        <Button kind="primary" isBusy={result.isLoading} onPress={result.reload}>
          {bridges.again}
        </Button>
      </div>
    </Dialog>
  );
}

export function TestResult({ result: { failure, round_trip_ms, points } }: { readonly result: BridgeTest }) {
  const { bridges } = texts.value;
  if (failure !== null) {
    return (
      <div class="would-refuse" role="alert">
        <SeverityMark severity="warning" text={bridges.notRead} />
        <p>{failureWords(failure)}</p>
        {failure.detail !== '' && <p class="muted free-text">{failure.detail}</p>}
      </div>
    );
  }
  return (
    <div class="bridge-test" role="status">
      <p>
        {bridges.answered({
          milliseconds: round_trip_ms === null ? null : formatNumber(round_trip_ms, 0, locale.value),
        })}
      </p>
      <Table
        label={bridges.points}
        columns={pointColumns()}
        rows={points}
        idOf={({ point }) => point}
        orderName="points"
      />
    </div>
  );
}

function pointColumns(): readonly Column<TestedPoint>[] {
  const { bridges, common } = texts.value;
  const reasons: Readonly<Record<string, string>> = bridges.reasons;
  return [
    titleColumn('point', bridges.point, ({ point }) => point),
    column('value', bridges.value, { kind: 'number' }, ({ value, unit, quality }) => {
      const text = value === null ? '–' : formatValue(value, unit, locale.value);
      return quality === 'good' ? <strong>{text}</strong> : <s>{text}</s>;
    }),
    column('raw', bridges.raw, {}, ({ raw }) => <span class="bridge-raw">{raw}</span>),
    column('sensor', bridges.sensor, {}, ({ sensor }) =>
      sensor === null ? <span class="muted">{bridges.noSensor}</span> : nameOfCode(common.sensors, sensor),
    ),
    column('quality', bridges.quality, {}, ({ quality, reason }) =>
      quality === 'good' ? common.qualities.good : (reasons[reason ?? ''] ?? common.qualities.bad),
    ),
  ];
}
