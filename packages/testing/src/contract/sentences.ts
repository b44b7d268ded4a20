/** What a sentence for a person must not contain; programs find ids and codes in fields of their own. */
const FAULTS: readonly (readonly [fault: string, pattern: RegExp])[] = [
  ['an internal id', /\b(?:op|ms|cmd|al|key|wh|nr|nt|au|del)_(?:[0-9a-z]+|<)|<(?:op|ms|cmd|al|key) id>/],
  // A sentence for the administrator may name a setting.
  ['a code name', /\b(?!GRANARY_)[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+\b/],
  ['a unit in words', /\b(?:celsius|percent)\b/],
  ['a part that is empty', /[:;,]\s*[.;,:]|[:;,]\s*$|\(\s*\)/],
  ['two full stops', /\.\.(?!\.)/],
  ['a value that is missing', /\b(?:undefined|null|NaN)\b/],
  ['a repeated space', / {2}/],
];

/** Text in quotation marks repeats what the caller sent, for example an id that does not exist. */
const QUOTED = /"(?:[^"\\]|\\.)*"/g;

/** The faults of a sentence, each with the part that is wrong. */
export const faultsOfSentence = (sentence: string): string[] =>
  FAULTS.flatMap(([fault, pattern]) => {
    const found = pattern.exec(sentence.replaceAll(QUOTED, '"…"'));
    return found === null ? [] : [`${fault} (${JSON.stringify(found[0])}) in: ${sentence}`];
  });

/** The fields of an answer that hold a sentence for a person. */
const SENTENCE_FIELDS: ReadonlySet<string> = new Set([
  'message',
  'status_detail',
  'detail',
  'subject',
  'text',
]);

/** The sentences in an answer. `details` are about the fields of a request, so they may name fields and the allowed values. */
export function sentencesIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return SENTENCE_FIELDS.has(name) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((one) => sentencesIn(one));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([own, member]) =>
    own === 'details' ? [] : sentencesIn(member, own),
  );
}
