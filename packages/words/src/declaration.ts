import { type Compiled, compiled, type Sources } from './compile.ts';
import type { Message } from './message.ts';

/** The sections whose texts code reads by their names; those of `sentences`, `words` and `errors` are found by a code. */
const DECLARED = ['page', 'mailedReport', 'signOnPage'] as const;

/** The TypeScript module that declares the texts of a catalogue, with the values that each needs. */
export function textsModule(catalogue: Sources): string {
  const sections = compiled(Object.fromEntries(DECLARED.map((name) => [name, catalogue[name] ?? {}])));
  return [
    '// This file is made by `npm run references` from the English catalogue.',
    '',
    'type Plain = string | number;',
    '',
    '/** The texts that code reads by their names. */',
    `export interface Texts ${declared(sections, '')}`,
    '',
  ].join('\n');
}

function declared(section: Compiled, indent: string): string {
  const lines = Object.entries(section).map(([name, entry]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`;
    return `${indent}  readonly ${key}: ${typeOf(entry, `${indent}  `)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

function typeOf(entry: Message | Compiled, indent: string): string {
  if (typeof entry === 'string') return 'string';
  if (!isMessage(entry)) return declared(entry, indent);
  const values = [...usesIn(entry)].map(([name, uses]) => `readonly ${name}: ${valueType(uses)}`);
  return `(values: { ${values.join('; ')} }) => string`;
}

const isMessage = (entry: Message | Compiled): entry is Message => Array.isArray(entry);

/** How a message uses a value: written, counted, or as the name of a form. */
type Use = 'plain' | 'count' | 'truth' | 'missing';

/** The values of a message by their names, with everything that it does with them. */
export function usesIn(message: Message, uses = new Map<string, Set<Use>>()): ReadonlyMap<string, Set<Use>> {
  if (typeof message === 'string') return uses;
  for (const part of message) {
    if (typeof part === 'string') continue;
    const used = uses.get(part.value) ?? new Set();
    uses.set(part.value, used);
    if (!('choice' in part)) used.add('plain');
    else {
      if (part.choice === 'plural') used.add('count');
      else if (Object.hasOwn(part.forms, 'true')) used.add('truth');
      else used.add('plain');
      if (Object.hasOwn(part.forms, 'none')) used.add('missing');
      for (const form of Object.values(part.forms)) usesIn(form, uses);
    }
  }
  return uses;
}

function valueType(uses: ReadonlySet<Use>): string {
  const [type = 'Plain'] = [
    ...(uses.has('count') ? ['number'] : []),
    ...(uses.has('truth') ? ['boolean'] : []),
  ];
  return uses.has('missing') ? `${type} | null` : type;
}
