/** A label that devices must have; without a value every value matches. */
export interface WantedLabel {
  readonly name: string;
  readonly value: string | null;
}

/** Reads `name=value`, or a name alone. */
export function wantedLabel(text: string): WantedLabel {
  const at = text.indexOf('=');
  return at === -1 ? { name: text, value: null } : { name: text.slice(0, at), value: text.slice(at + 1) };
}

/** Reads a list such as `product=wheat,organic`. */
export const wantedLabels = (list: string | undefined): readonly WantedLabel[] =>
  list === undefined ? [] : list.split(',').map(wantedLabel);

/** Whether a device with these labels has all wanted ones. */
export const hasLabels = (
  labels: Readonly<Record<string, string>>,
  wanted: readonly WantedLabel[],
): boolean =>
  wanted.every(
    ({ name, value }) => Object.hasOwn(labels, name) && (value === null || labels[name] === value),
  );

/** The label of simulated devices: the removal of the demo removes only devices with this label. */
export const SIMULATED_LABEL = 'simulated';

/** The labels with which a simulated device is registered. */
export const SIMULATED = { [SIMULATED_LABEL]: 'yes' };

interface Labelled {
  readonly labels?: Readonly<Record<string, string>>;
}

export const isSimulated = ({ labels = {} }: Labelled): boolean => Object.hasOwn(labels, SIMULATED_LABEL);

const HISTORY_LABEL = 'history';
const WRITING = 'writing';

/** The label that a simulated device has until its past is written. */
export const HISTORY_WRITING = { [HISTORY_LABEL]: WRITING };
export const HISTORY_WRITTEN = { [HISTORY_LABEL]: null };

export const isHistoryBeingWritten = (device: Labelled): boolean =>
  isSimulated(device) && device.labels?.[HISTORY_LABEL] === WRITING;
