import type { Client } from '@granary/client';
import type { AlertType } from '@granary/contract/alerts';
import type { FleetDevice, FleetReading } from '@granary/contract/fleet';
import { unitSymbol } from '@granary/contract/telemetry/channels';
import type { Column } from '../../terminal/table.ts';
import type { Tone } from '../../terminal/text.ts';

/** The sensors that people ask for most, in this order. */
const MAIN_SENSORS = ['level', 'battery_level', 'temperature'];

interface OfDevice {
  readonly device_id: string;
  readonly device_name?: string;
  readonly location?: { readonly facility: string; readonly zone: string };
}

/** The columns with the device and its place, for lists over all devices. */
export const DEVICE_COLUMNS: readonly Column<OfDevice>[] = [
  { title: 'DEVICE', text: ({ device_id }) => device_id },
  {
    title: 'WHERE',
    text: ({ device_name, location }) =>
      [device_name, location?.facility, location?.zone].filter((text) => text !== undefined).join(', '),
  },
];

/** A number with at most two decimals, without zeros at the end. */
export const numberText = (value: number): string => String(Math.round(value * 100) / 100);

const TONES: Readonly<Record<string, Tone>> = { online: 'good', offline: 'bad' };

export const statusTone = (status: string): Tone | undefined => TONES[status] ?? 'warning';

/** The text of a reading. Positions are not rounded, because two decimals of a degree of latitude are a kilometre. */
export function readingText({
  value,
  unit,
  quality,
}: Pick<FleetReading, 'value' | 'unit' | 'quality'>): string {
  const number = unit === 'degree' ? String(value) : numberText(value);
  const text = `${number} ${unitSymbol(unit)}`;
  return quality === 'good' ? text : `${text} (${quality})`;
}

export const NO_READING = 'no reading yet';

export function mainReading({ readings = {} }: FleetDevice): string {
  const name = MAIN_SENSORS.find((one) => readings[one] !== undefined);
  const reading = name === undefined ? undefined : readings[name];
  if (name === undefined || reading === undefined)
    return Object.keys(readings).length === 0 ? NO_READING : '-';
  return `${name.replace('_level', '')} ${readingText(reading)}`;
}

/** Short texts for alerts about devices that look healthy because they are connected. */
const HIDDEN_FAULTS: Partial<Readonly<Record<AlertType, string>>> = {
  readings_rejected: 'readings refused',
  clock_wrong: 'wrong clock',
  duplicate_device: 'two clients with its id',
};

export interface HiddenFault {
  readonly deviceId: string;
  readonly words: string;
  readonly message: string;
}

/** The open alerts about devices that only look healthy. */
export async function hiddenFaults({ fleet }: Client): Promise<HiddenFault[]> {
  const found: HiddenFault[] = [];
  for await (const { type, status, device_id, message } of fleet.alertsAll({ status: 'open' })) {
    const words = HIDDEN_FAULTS[type];
    if (words !== undefined && status !== 'cleared') found.push({ deviceId: device_id, words, message });
  }
  return found;
}
