import { type Static, Type } from 'typebox';
import { checker, type ListRule } from '../input/schema.ts';
import { form } from '../input/text-schemas.ts';
import { sentence } from '../sentences/codes.ts';
import { wantedLabel } from './label-match.ts';

export const LABELS_MAX = 20;
const NAME_PATTERN = '^[a-z][a-z0-9_.-]{0,39}$';
const VALUE_CHARACTERS_MAX = 60;

/** A value has no comma, because commas separate labels in a query, and no space at an end, because it would look the same without. */
const LabelValue = Type.String({
  maxLength: VALUE_CHARACTERS_MAX,
  pattern: '^[^\\x00-\\x20,\\x7f-\\xa0]([^\\x00-\\x1f,\\x7f-\\x9f]*[^\\x00-\\x20,\\x7f-\\xa0])?$',
  ...form(sentence('label_value', { limit: VALUE_CHARACTERS_MAX })),
});
const LabelName = Type.String({ pattern: NAME_PATTERN, ...form(sentence('label_name')) });

const ofNames = { maxProperties: LABELS_MAX, additionalProperties: false, ...form(sentence('label_name')) };

/** The values of the labels by their names. */
export const Labels = Type.Record(LabelName, LabelValue, ofNames);
/** Labels that are not named stay as they are; `null` removes a label. */
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

/** One label that devices must have, as an entry of a JSON list. */
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
