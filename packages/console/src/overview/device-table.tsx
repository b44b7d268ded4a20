import { isUnacknowledged } from '../alerts/alerts.ts';
import { useConsole } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { inZone, timeAhead } from '../foresight/forecast-words.ts';
import { type Forecasts, forecastsOf } from '../foresight/forecasts.ts';
import { DeviceName } from '../kit/device-name.tsx';
import { formatMass, formatValue, zoneOf } from '../kit/format.ts';
import { Age, LastKnown, Measured } from '../kit/measured.tsx';
import { SeverityMark } from '../kit/severity-mark.tsx';
import { Table } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import type { LiveDevice } from '../live/site.ts';
import { useOverviewFacts } from '../profiles/tile-facts.ts';
import { locale, texts } from '../texts.ts';
import { columnTitle } from './column-choice.tsx';
import { columnsOf, type TableColumn } from './table-columns.ts';

interface RowProps {
  readonly device: LiveDevice;
}

/** Shows the devices as dense rows. Each cell follows its own device, so that a new value draws only one cell again. */
export function DeviceTable({ deviceIds }: { readonly deviceIds: readonly string[] }) {
  const { client, live, navigation } = useConsole();
  const forecasts = forecastsOf(client, live);
  const { overview, table } = texts.value;
  const rows = deviceIds.flatMap((id) => live.site.devices.find(id) ?? []);
  const idOf = (device: LiveDevice): string => device.peek().device_id;
  const title: Column<LiveDevice> = {
    name: 'device',
    title: table.device,
    kind: 'title',
    sortBy: (device) => device.peek().name,
    cell: (device) => <DeviceName deviceId={idOf(device)} />,
  };
  const cells: Readonly<Record<TableColumn, Pick<Column<LiveDevice>, 'cell' | 'sortBy' | 'kind'>>> = {
    zone: {
      sortBy: (device) => device.peek().location.zone,
      cell: (device) => <span class="free-text">{device.peek().location.zone}</span>,
    },
    level: { sortBy: readingOf('level'), cell: (device) => <LevelCell device={device} /> },
    stock: { kind: 'number', sortBy: readingOf('weight'), cell: (device) => <StockCell device={device} /> },
    empty: {
      sortBy: (device) => forecasts.peek().get(idOf(device))?.empty?.p50 ?? null,
      cell: (device) => <EmptyCell device={device} forecasts={forecasts} />,
    },
    order: {
      sortBy: (device) => forecasts.peek().get(idOf(device))?.order_by ?? null,
      cell: (device) => <OrderCell device={device} forecasts={forecasts} />,
    },
    temperature: sensorColumn('temperature'),
    battery_level: sensorColumn('battery_level'),
    alerts: { cell: (device) => <AlertCell device={device} /> },
    age: { sortBy: (device) => device.peek().last_seen, cell: (device) => <AgeCell device={device} /> },
  };
  const columns = columnsOf(navigation.route.value.query).map((name) => ({
    name,
    title: columnTitle(name),
    ...cells[name],
  }));
  return (
    <div class="overview-table">
      <Table
        label={overview.title}
        columns={[title, ...columns]}
        rows={rows}
        idOf={idOf}
        onOpen={(device) => navigation.open(addressOf('devices', idOf(device)))}
      />
    </div>
  );
}

const readingOf =
  (sensor: string) =>
  (device: LiveDevice): number | null =>
    device.peek().readings?.[sensor]?.value ?? null;

const sensorColumn = (sensor: string): Pick<Column<LiveDevice>, 'cell' | 'sortBy' | 'kind'> => ({
  kind: 'number',
  sortBy: readingOf(sensor),
  cell: (device) => <SensorCell device={device} sensor={sensor} />,
});

function SensorCell({ device, sensor }: RowProps & { readonly sensor: string }) {
  const reading = device.value.readings?.[sensor];
  if (reading === undefined) return null;
  return (
    <Measured
      text={formatValue(reading.value, reading.unit, locale.value)}
      quality={reading.quality}
      at={reading.timestamp}
    />
  );
}

function LevelCell({ device }: RowProps) {
  const level = device.value.readings?.['level'];
  if (level === undefined) return null;
  return (
    <span class="overview-level">
      <span style={{ '--level': `${Math.min(100, Math.max(0, level.value))}%` }} />
      <Measured
        text={formatValue(level.value, 'percent', locale.value)}
        quality={level.quality}
        at={level.timestamp}
      />
    </span>
  );
}

function StockCell({ device }: RowProps) {
  const weight = device.value.readings?.['weight'];
  if (weight === undefined) return null;
  return (
    <Measured
      text={formatMass(weight.value, locale.value, device.peek().device_id)}
      quality={weight.quality}
      at={weight.timestamp}
    />
  );
}

interface ForecastProps extends RowProps {
  readonly forecasts: Forecasts;
}

/** Shows when the silo will be empty, without the range, or why that is not known. */
function EmptyCell({ device, forecasts }: ForecastProps) {
  const { foresight } = texts.value;
  const forecast = forecasts.value.get(device.peek().device_id);
  if (forecast === undefined) return null;
  const at = forecast.empty?.p50 ?? null;
  if (forecast.status !== 'ok') {
    const why = foresight.statuses[forecast.status];
    return (
      <span class="overview-why muted" title={why}>
        {why}
      </span>
    );
  }
  return at === null ? (
    <span class="muted">{foresight.lastsLonger}</span>
  ) : (
    <TimeAhead at={at} timeZone={zoneOf(forecast)} />
  );
}

function OrderCell({ device, forecasts }: ForecastProps) {
  const forecast = forecasts.value.get(device.peek().device_id);
  if (forecast === undefined || forecast.order_by === null) return null;
  return <TimeAhead at={forecast.order_by} timeZone={zoneOf(forecast)} />;
}

interface TimeAheadProps {
  readonly at: string;
  /** The time zone of the silo. */
  readonly timeZone: string;
}

function TimeAhead({ at, timeZone }: TimeAheadProps) {
  const { clock } = useConsole().live.site;
  const nowMs = clock.nowMs.peek();
  const { foresight } = texts.value;
  const reading = { nowMs, language: locale.value, words: foresight, timeZone };
  const isPast = Date.parse(at) <= nowMs;
  return <LastKnown>{isPast ? foresight.orderNow : inZone(timeAhead(at, reading), reading)}</LastKnown>;
}

function AlertCell({ device }: RowProps) {
  const { byDevice } = useOverviewFacts();
  const { device_id } = device.peek();
  const alerts = byDevice.alerts.value.get(device_id) ?? [];
  const [first] = alerts;
  if (first === undefined) return null;
  return (
    <a href={addressOf('alerts', null, { device: device_id })}>
      <SeverityMark
        severity={first.severity}
        text={String(alerts.length)}
        isOutlined={!isUnacknowledged(first)}
      />
    </a>
  );
}

function AgeCell({ device }: RowProps) {
  const { status, last_seen } = device.value;
  const { common } = texts.value;
  return (
    <LastKnown>
      {status !== 'online' && <strong>{common.deviceStatuses[status]} </strong>}
      {last_seen === null ? common.neverReported : <Age since={last_seen} />}
    </LastKnown>
  );
}
