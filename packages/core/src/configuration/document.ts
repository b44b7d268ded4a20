import { type DocumentContent, documentKind } from '../documents/versioned.ts';

const CONFIGURATION_DOCUMENT = documentKind<object>(
  [addMonitoring, addRules, holdWithoutBase],
  (content) => content,
);

/** The fields of a configuration depend on the device, which the document does not name. */
export const storedConfiguration = <Configuration extends object>(text: string): Configuration =>
  CONFIGURATION_DOCUMENT.read(text) as Configuration;

export const configurationDocument = (configuration: object): string =>
  CONFIGURATION_DOCUMENT.write(configuration);

/** Version 1 adds the reporting interval and the alarm filters. */
function addMonitoring(content: DocumentContent): DocumentContent {
  const { reporting, alarms, ...rest } = content;
  return {
    ...rest,
    reporting: { interval_s: 10, offline_delay_s: 30, ...asObject(reporting) },
    alarms: { dead_band: 1, on_delay_s: 0, off_delay_s: 5, ...asObject(alarms) },
  };
}

/** Version 2 adds the threshold rules. */
function addRules(content: DocumentContent): DocumentContent {
  return { ...content, rules: content['rules'] ?? [] };
}

/** Version 3: a device without a base does not return to one. */
function holdWithoutBase(content: DocumentContent): DocumentContent {
  const { base, failsafe } = content;
  if (base !== null || typeof failsafe !== 'object' || failsafe === null) return content;
  const actions = Object.entries(failsafe).map(([name, action]) => [
    name,
    action === 'return_to_base' ? 'hold' : action,
  ]);
  return { ...content, failsafe: Object.fromEntries(actions) };
}

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});
