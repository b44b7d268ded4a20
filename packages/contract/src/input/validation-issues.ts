import { Guard } from 'typebox/guard';
import { parseTime, TIME_EXAMPLE } from '../time.ts';
import { ID_PATTERN, idLike } from './text-schemas.ts';

/** One error in an input, with its JSON pointer. */
export interface ValidationIssue {
  readonly path: string;
  readonly message: string;
}

export const ISSUES_MAX = 20;
const NAME_CHARS_MAX = 64;

/** The keywords that schemas may use; a test checks every schema of the contract. */
export interface SchemaNode {
  readonly type?: string;
  /** Completes the sentence "must be …" where a pattern alone would not help. */
  readonly description?: string;
  /** What the value means, for the references only. */
  readonly 'x-meaning'?: string;
  /** What the references show instead, where the schema describes the text of a number. */
  readonly 'x-shown-as'?: SchemaNode;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  /** One pattern at most: the schema of every field whose name matches it. */
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
  else if (!isOfType(schema, value)) faults.push({ path, message: `must be ${expectation(schema)}` });
  else if (Array.isArray(value)) collectFromArray(schema, value, path, faults);
  else if (isObject(value)) collectFromObject(schema, value, path, faults);
  else {
    const message = textFault(schema, value) ?? numberFault(schema, value);
    if (message !== null) faults.push({ path, message });
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
    faults.push({ path, message: `must be ${branches.map(expectation).join(' or ')}` });
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
    faults.push({ path, message: `must have at most ${maxItems} items, not ${items.length}` });
    return;
  }
  if (items.length < minItems) {
    faults.push({ path, message: `must have at least ${minItems} item${minItems === 1 ? '' : 's'}` });
  }
  for (let index = 0; item !== undefined && index < items.length; index++) {
    collect(item, items[index], `${path}/${index}`, faults);
    if (faults.length >= ISSUES_MAX) return;
  }
  if (schema.uniqueItems === true && new Set(items).size < items.length) {
    faults.push({ path, message: 'must not name anything twice' });
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
    faults.push({ path, message: `must have at most ${maxProperties} fields, not ${count}` });
    return;
  }
  for (const name of required) {
    if (!Object.hasOwn(value, name)) faults.push({ path: `${path}/${name}`, message: 'is required' });
  }
  for (const name in value) {
    if (faults.length >= ISSUES_MAX) return;
    const named = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const property = named ?? (names?.test(name) === true ? matching : undefined);
    if (property !== undefined) collect(property, value[name], `${path}/${pointerName(name)}`, faults);
    else if (schema.additionalProperties === false) {
      faults.push({ path: `${path}/${pointerName(name)}`, message: 'is not a known field' });
    }
  }
  if (count < minProperties) {
    const others = Object.keys(properties).filter((name) => !required.includes(name));
    const missing = names === null ? `one of ${others.join(', ')}` : 'one field';
    faults.push({ path, message: `must have at least ${missing}` });
  }
}

function textFault(schema: SchemaNode, text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const { minLength = 0, maxLength, pattern, format } = schema;
  if (!Guard.IsMinLength(text, minLength)) {
    return minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`;
  }
  if (maxLength !== undefined && !Guard.IsMaxLength(text, maxLength)) {
    return `must have at most ${maxLength} characters`;
  }
  if (format === 'date-time' && parseTime(text) === null) {
    return hasLostPlus(text) ? LOST_PLUS : `must be ${expectation(schema)}`;
  }
  if (pattern === undefined || new RegExp(pattern, 'u').test(text)) return null;
  const near = pattern === ID_PATTERN ? idLike(text) : null;
  const example = near === null ? '' : `, such as ${near}`;
  return `must be ${schema.description ?? `a text that matches ${pattern}`}${example}`;
}

const LOST_PLUS = 'has a space where its offset begins: in an address a + must be written as %2B';

/** In the query of an address a plus sign means a space. */
const hasLostPlus = (text: string): boolean => parseTime(text.replace(' ', '+')) !== null;

function numberFault(schema: SchemaNode, value: unknown): string | null {
  if (typeof value !== 'number') return null;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `must be above ${exclusiveMinimum}`;
  if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `must be below ${exclusiveMaximum}`;
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

/** Completes the sentence "must be …". */
function expectation({ type, const: constant, enum: options, description, format }: SchemaNode): string {
  if (constant !== undefined) return String(constant);
  if (options !== undefined) return `one of ${options.join(', ')}`;
  if (format === 'date-time') return `a time with its offset, such as ${TIME_EXAMPLE}`;
  if (description !== undefined) return description;
  switch (type) {
    case 'string':
      return 'a text';
    case 'integer':
    case 'bigint':
      return 'a whole number';
    case 'boolean':
      return 'true or false';
    case 'object':
    case 'array':
      return `an ${type}`;
    case 'null':
      return 'null';
    default:
      return `a ${type}`;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A name from the input, shortened for the message. */
export const pointerName = (name: string): string =>
  name.slice(0, NAME_CHARS_MAX).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
