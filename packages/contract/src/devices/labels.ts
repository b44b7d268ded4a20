import { type Static, Type } from 'typebox';
import { checker, type ListRule } from '../input/schema.ts';
import { form } from '../input/text-schemas.ts';
import { sentence } from '../sentences/english.ts';
import { wantedLabel } from './label-match.ts';

export const LABELS_MAX = 20;
const NAME_PATTERN = '^[a-z][a-z0-9_.-]{0,39}$';
const VALUE_CHARACTERS_MAX = 60;

/** Without commas, which separate labels in a query; a space at an end would be a second value that looks the same. */
const LabelValue = Type.String({
  maxLength: VALUE_CHARACTERS_MAX,
  pattern: '^[^\\x00-\\x20,\\x7f-\\xa0]([^\\x00-\\x1f,\\x7f-\\x9f]*[^\\x00-\\x20,\\x7f-\\xa0])?$',
  ...form(sentence('label_value', { limit: VALUE_CHARACTERS_MAX })),
});
const LabelName = Type.String({ pattern: NAME_PATTERN, ...form(sentence('label_name')) });

const ofNames = { maxProperties: LABELS_MAX, additionalProperties: false, ...form(sentence('label_name')) };

/** By name. */
export const Labels = Type.Record(LabelName, LabelValue, ofNames);
/** What is not named stays as it is, and `null` removes a label. */
export const LabelChanges = Type.Record(LabelName, Type.Union([LabelValue, Type.Null()]), {
  ...ofNames,
  maxProperties: 2 * LABELS_MAX,
});

export type Labels = Static<typeof Labels>;
export type LabelChanges = Static<typeof LabelChanges>;

const checkName = checker(LabelName);
const checkValue = checker(LabelValue);

const isWantedLabel = (text: string): boolean => {
  const { name, value } = wantedLabel(text);
  return checkName.accepts(name) && (value === null || checkValue.accepts(value));
};

/** A list such as `product=wheat,organic`; a device must have all of them. */
export const LABEL_LIST: ListRule = {
  field: 'label',
  isEntry: isWantedLabel,
  entries: 'name=value or names',
};

/** One label that devices must have, in lists of JSON. */
export const LabelSelector = Type.String({
  maxLength: 41 + VALUE_CHARACTERS_MAX,
  pattern: `${NAME_PATTERN.slice(0, -1)}(=[^\\x00-\\x1f,\\x7f-\\x9f]+)?$`,
  ...form(sentence('label_selector')),
});
export const LabelSelectors = Type.Array(LabelSelector, {
  minItems: 1,
  maxItems: LABELS_MAX,
  uniqueItems: true,
});
