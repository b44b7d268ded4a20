import { Guard } from 'typebox/guard';
import { sentence } from '../sentences/codes.ts';
import { inEnglish } from '../sentences/english.ts';
import type { EXPECTED, FIELD_FAULTS } from '../sentences/faults.ts';
import type { Sentence } from '../sentences/sentence.ts';
import { parseTime, TIME_EXAMPLE } from '../time.ts';
import { isSeen } from './seen-text.ts';
import { FORM, ID_PATTERN, idLike, SEEN_TEXT } from './text-schemas.ts';

/** One error in an input, with its JSON pointer. An issue in input that only programs send may have no code. */
export interface ValidationIssue {
  readonly path: string;
  readonly message: string;
  readonly message_code?: keyof typeof FIELD_FAULTS;
  readonly message_values?: Record<string, unknown>;
}

export const issueOf = (path: string, told: Sentence<keyof typeof FIELD_FAULTS>): ValidationIssue => ({
  path,
  message: inEnglish(told),
  message_code: told.code,
  message_values: { ...told.values },
});

/** Whether the value is present and should be a number but is not. */
export const shouldBeNumber = ({ message_code, message_values }: ValidationIssue): boolean =>
  message_code === 'must_be' && isSame(message_values?.['what'], [sentence('a_number')]);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

export const ISSUES_MAX = 20;
const NAME_CHARS_MAX = 64;

/** The keywords that schemas may use; a test checks every schema of the contract. */
export interface SchemaNode {
  readonly type?: string;
  /** Completes the sentence "must be …" if a pattern alone would not help. */
  readonly description?: string;
  /** For an object, the required form of its names. */
  readonly [FORM]?: Sentence<keyof typeof EXPECTED>;
  /** What the value means, for the references only. */
  readonly 'x-meaning'?: string;
  /** The schema that the references show instead, if this one describes the text of a number. */
  readonly 'x-shown-as'?: SchemaNode;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  /** Has at most one pattern: the schema of every field whose name matches it. */
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly items?: SchemaNode;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

/**
 * Lists the issues of a value that a compiled schema has refused. The list of the schema library is not used, because it
 * takes seconds for a long array: it continues beyond the length limit and after the last issue that it can report.
 */
export function findIssues(schema: SchemaNode, value: unknown): ValidationIssue[] {
  return findFaultsAt(schema, value, '').slice(0, ISSUES_MAX);
}

function collect(schema: SchemaNode, value: unknown, path: string, faults: ValidationIssue[]): void {
  if (schema.anyOf !== undefined) collectFromUnion(schema.anyOf, value, path, faults);
  else if (!isOfType(schema, value)) faults.push(issueOf(path, mustBe([schema])));
  else if (Array.isArray(value)) collectFromArray(schema, value, path, faults);
  else if (isObject(value)) collectFromObject(schema, value, path, faults);
  else {
    const fault = textFault(schema, value) ?? numberFault(schema, value);
    if (fault !== null) faults.push(issueOf(path, fault));
  }
}

/** Among the branches for this type of value, the one with the fewest issues is most likely intended. */
function collectFromUnion(
  branches: readonly SchemaNode[],
  value: unknown,
  path: string,
  faults: ValidationIssue[],
): void {
  const candidates = branches.filter((branch) => isOfType(branch, value));
  if (candidates.length === 0) {
    faults.push(issueOf(path, mustBe(branches)));
    return;
  }
  const lists = candidates.map((branch) => findFaultsAt(branch, value, path));
  faults.push(...lists.reduce((fewest, list) => (list.length < fewest.length ? list : fewest)));
}

function findFaultsAt(schema: SchemaNode, value: unknown, path: string): ValidationIssue[] {
  const faults: ValidationIssue[] = [];
  collect(schema, value, path, faults);
  return faults;
}

function collectFromArray(
  schema: SchemaNode,
  items: readonly unknown[],
  path: string,
  faults: ValidationIssue[],
): void {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items: item } = schema;
  if (items.length > maxItems) {
    const counts = { limit: maxItems, count: items.length };
    faults.push(issueOf(path, sentence('must_have_fewer_items', counts)));
    return;
  }
  if (items.length < minItems) {
    const more =
      minItems === 1 ? sentence('must_have_an_item') : sentence('must_have_more_items', { limit: minItems });
    faults.push(issueOf(path, more));
  }
  for (let index = 0; item !== undefined && index < items.length; index++) {
    collect(item, items[index], `${path}/${index}`, faults);
    if (faults.length >= ISSUES_MAX) return;
  }
  if (schema.uniqueItems === true && new Set(items).size < items.length) {
    faults.push(issueOf(path, sentence('must_not_repeat')));
  }
}

function collectFromObject(
  schema: SchemaNode,
  value: Readonly<Record<string, unknown>>,
  path: string,
  faults: ValidationIssue[],
): void {
  const { properties = {}, required = [], minProperties = 0 } = schema;
  const { patternProperties = {}, maxProperties = Number.POSITIVE_INFINITY } = schema;
  const [[pattern, matching] = []] = Object.entries(patternProperties);
  const names = pattern === undefined ? null : new RegExp(pattern, 'u');
  const count = Object.keys(value).length;
  if (count > maxProperties) {
    faults.push(issueOf(path, sentence('must_have_fewer_fields', { limit: maxProperties, count })));
    return;
  }
  for (const name of required) {
    if (!Object.hasOwn(value, name)) faults.push(issueOf(`${path}/${name}`, sentence('is_required')));
  }
  for (const name in value) {
    if (faults.length >= ISSUES_MAX) return;
    const named = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const property = named ?? (names?.test(name) === true ? matching : undefined);
    if (property !== undefined) collect(property, value[name], `${path}/${pointerName(name)}`, faults);
    else if (schema.additionalProperties === false) {
      const what = schema[FORM];
      const fault = what === undefined ? sentence('is_not_known') : sentence('must_be', { what: [what] });
      faults.push(issueOf(`${path}/${pointerName(name)}`, fault));
    }
  }
  if (count < minProperties) {
    const others = Object.keys(properties).filter((name) => !required.includes(name));
    const missing =
      names === null
        ? sentence('must_have_one_of', { fields: others.join(', ') })
        : sentence('must_have_a_field');
    faults.push(issueOf(path, missing));
  }
}

type Fault = Sentence<keyof typeof FIELD_FAULTS>;

function textFault(schema: SchemaNode, text: unknown): Fault | null {
  if (typeof text !== 'string') return null;
  const { minLength = 0, maxLength, pattern, format } = schema;
  if (!Guard.IsMinLength(text, minLength)) {
    return minLength === 1
      ? sentence('must_not_be_empty')
      : sentence('must_have_more_characters', { limit: minLength });
  }
  if (maxLength !== undefined && !Guard.IsMaxLength(text, maxLength)) {
    return sentence('must_have_fewer_characters', { limit: maxLength });
  }
  if (format === 'date-time' && parseTime(text) === null) {
    return hasLostPlus(text) ? sentence('has_lost_its_plus') : mustBe([schema]);
  }
  const isAllSeen = format !== SEEN_TEXT || isSeen(text);
  if (isAllSeen && (pattern === undefined || new RegExp(pattern, 'u').test(text))) return null;
  const near = pattern === ID_PATTERN ? idLike(text) : null;
  const what = schema[FORM] ?? sentence('a_match', { pattern: pattern ?? '' });
  return near === null
    ? sentence('must_be', { what: [what] })
    : sentence('must_be_like', { what, example: near });
}

/** A plus sign in a query means a space, so a time with an offset may have lost it. */
const hasLostPlus = (text: string): boolean => parseTime(text.replace(' ', '+')) !== null;

function numberFault(schema: SchemaNode, value: unknown): Fault | null {
  if (typeof value !== 'number') return null;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (minimum !== undefined && value < minimum) return sentence('must_be_at_least', { limit: minimum });
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) {
    return sentence('must_be_above', { limit: exclusiveMinimum });
  }
  if (maximum !== undefined && value > maximum) return sentence('must_be_at_most', { limit: maximum });
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) {
    return sentence('must_be_below', { limit: exclusiveMaximum });
  }
  return null;
}

function isOfType({ type, const: constant, enum: options }: SchemaNode, value: unknown): boolean {
  if (constant !== undefined) return value === constant;
  if (options !== undefined) return options.includes(value);
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case undefined:
      return true;
    default:
      return typeof value === type;
  }
}

const mustBe = (schemas: readonly SchemaNode[]): Fault =>
  sentence('must_be', { what: schemas.map(expectation) });

/** The text completes the sentence "must be …". */
function expectation(schema: SchemaNode): Sentence<keyof typeof EXPECTED> {
  const { type, const: constant, enum: options, format } = schema;
  if (constant !== undefined) return sentence('this_value', { value: String(constant) });
  if (options !== undefined) return sentence('one_of', { options: options.join(', ') });
  if (format === 'date-time') return sentence('time_with_offset', { example: TIME_EXAMPLE });
  if (schema[FORM] !== undefined && type !== 'object') return schema[FORM];
  switch (type) {
    case 'integer':
    case 'bigint':
      return sentence('a_whole_number');
    case 'number':
      return sentence('a_number');
    case 'boolean':
      return sentence('true_or_false');
    case 'object':
      return sentence('an_object');
    case 'array':
      return sentence('an_array');
    case 'null':
      return sentence('null_value');
    default:
      return sentence('a_text');
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A name from the input, shortened for the message. */
export const pointerName = (name: string): string =>
  name.slice(0, NAME_CHARS_MAX).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
