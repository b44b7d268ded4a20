/** A label that devices must have; without a value any value will do. */
export interface WantedLabel {
  readonly name: string;
  readonly value: string | null;
}

/** Of `name=value`, or of a name alone. */
export function wantedLabel(text: string): WantedLabel {
  const at = text.indexOf('=');
  return at === -1 ? { name: text, value: null } : { name: text.slice(0, at), value: text.slice(at + 1) };
}

/** Of a list such as `product=wheat,organic`. */
export const wantedLabels = (list: string | undefined): readonly WantedLabel[] =>
  list === undefined ? [] : list.split(',').map(wantedLabel);

/** Whether it has all of them. */
export const hasLabels = (
  labels: Readonly<Record<string, string>>,
  wanted: readonly WantedLabel[],
): boolean =>
  wanted.every(
    ({ name, value }) => Object.hasOwn(labels, name) && (value === null || labels[name] === value),
  );

/** The label of the devices of the simulator: only those are ever removed with the demo. */
export const SIMULATED_LABEL = 'simulated';

/** As a device is registered with. */
export const SIMULATED = { [SIMULATED_LABEL]: 'yes' };

interface Labelled {
  readonly labels?: Readonly<Record<string, string>>;
}

export const isSimulated = ({ labels = {} }: Labelled): boolean => Object.hasOwn(labels, SIMULATED_LABEL);

const HISTORY_LABEL = 'history';
const WRITING = 'writing';

/** The label of a simulated device until its past is written. */
export const HISTORY_WRITING = { [HISTORY_LABEL]: WRITING };
export const HISTORY_WRITTEN = { [HISTORY_LABEL]: null };

export const isHistoryBeingWritten = (device: Labelled): boolean =>
  isSimulated(device) && device.labels?.[HISTORY_LABEL] === WRITING;
