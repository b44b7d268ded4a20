import { ENGLISH_TEXTS, SENTENCE_SOURCES } from '@granary/words/english';
import { errorText } from '../error-texts.ts';
import { ERROR_CODES, STATUS_OF } from '../errors.ts';
import { ALERTS } from '../sentences/alerts.ts';
import { EXPECTED, FIELD_FAULTS, LINK_FAULTS } from '../sentences/faults.ts';
import { FAULTS_FOUND, FORECAST_REASONS, GRAIN_REASONS, NO_FAULT_FOUND } from '../sentences/foresight.ts';
import { ATTENTION, COMMAND_DETAILS, MISSION_DETAILS, OPERATION_DETAILS, TRACE } from '../sentences/jobs.ts';
import { PARTS } from '../sentences/parts.ts';
import { REFUSALS } from '../sentences/refusals.ts';
import type { KindsOfValues } from '../sentences/sentence.ts';
import { WORDS } from '../sentences/words.ts';

const ERRORS_INTRODUCTION = `# Errors

This page is made by \`npm run references\`; the texts are in \`errors\` of \`packages/words/catalogue/en.json\` and in \`packages/contract/src/error-texts.ts\`.

A refusal is \`{"success": false, "error": {"code", "message", "message_code"?, "message_values"?, "details"?, "request_id"}}\`. Programs decide by \`code\`, which
stays the same; \`message\` is for people and says more about the single case, which \`message_code\` and \`message_values\` tell to programs ([sentences.md](sentences.md)). \`details\` lists the faults of an input with their places.
Which endpoint can answer which code is in [openapi.json](openapi.json).
`;

/** The page that explains every error code, in the order of their statuses. */
export function errorPage(): string {
  const byStatus = ERROR_CODES.toSorted((a, b) => STATUS_OF[a] - STATUS_OF[b]);
  const rows = byStatus.map((code) => {
    const { means, cure } = errorText(code);
    return `| ${STATUS_OF[code]} | \`${code}\` | ${means} | ${cure} |`;
  });
  return `${ERRORS_INTRODUCTION}
| status | code | what it means | what to do |
|---|---|---|---|
${rows.join('\n')}
`;
}

const INTRODUCTION = `# Sentences

This page is made by \`npm run references\`; the codes are in \`packages/contract/src/sentences/\`, the texts in \`packages/words/catalogue/\`.

Beside a sentence for people stands the same as a code with values, from which a program can write it in any language:
\`message_code\` and \`message_values\` beside \`message\`, \`status_code\` and \`status_values\` beside \`status_detail\`,
\`detail_code\` and \`detail_values\` beside \`detail\`, \`reason_code\` and \`reason_values\` beside the \`reason\` of a refused login, \`code\` and \`values\` beside the \`text\` of reasons and findings
(\`evidence.values\` of a finding). A newer service can have codes that a program does not know: then it shows the text.

What decides whether a text has a code: what a person can meet on the page has one. English alone is enough for what only a
program causes (its method, headers, JSON, cursors and keys of idempotency, and the reason beside the raw topic and payload of a
rejected message); such a refusal has its error code, for which the page has a text in every language. Nothing is recognised by its text.

The texts are in ICU MessageFormat: \`{moved}\` is the value \`moved\`, \`{Operation}\` the value \`operation\` at the beginning of a sentence, with a capital letter. A value whose kind
ends with \`?\` may be missing or \`null\`; then the form \`none\` is chosen.

| kind | value |
|---|---|
| \`text\` | words of a device or a person |
| \`number\`, \`percent\` | a number |
| \`time\` | a time as in the other fields |
| \`date\` | a local day, such as \`2026-12-05\` |
| \`duration\` | seconds |
| \`mass\` | kilograms |
| \`temperature\`, \`warming\` | °C; by how many °C something is warmer |
| \`change\` | per cent; negative is less |
| \`weekdays\` | numbers with commas between them; Monday is 0 |
| \`quantity\` | \`{"value", "unit"}\` |
| \`place\` | \`{"latitude", "longitude"}\` |
| \`sensor\`, \`mission\` | the id of a sensor, the name of a mission |
| \`waypoint\` | the index of a waypoint, from 0 |
| \`names\` | a list of texts |
| \`part\` | \`{"code", "values"}\`: a sentence of the last lists |
| \`list\`, \`clauses\`, \`alternatives\` | a list of such parts, with commas, semicolons or "or" between them |
`;

const TEXTS_OF_CODES: Readonly<Record<string, string>> = SENTENCE_SOURCES;

const LISTS: readonly (readonly [title: string, sentences: Readonly<Record<string, KindsOfValues>>])[] = [
  ['`message` of alerts', ALERTS],
  ['`status_detail` of operations', OPERATION_DETAILS],
  ['`detail` of the steps of a trace; an end has the `status_detail` of the operation', TRACE],
  ['`status_detail` of commands', COMMAND_DETAILS],
  ['`status_detail` of missions', MISSION_DETAILS],
  ['`reasons` of forecasts', FORECAST_REASONS],
  ['`reasons` about stored grain', GRAIN_REASONS],
  ['Findings that are faults; the alert about one has the same sentence', FAULTS_FOUND],
  ['Other findings', NO_FAULT_FOUND],
  ['`message` of refusals', REFUSALS],
  ['`message` of what needs attention; the others are those of alerts, operations and commands', ATTENTION],
  ['`message` of `details`, after the name of the field', FIELD_FAULTS],
  ['What the value of a field must be', EXPECTED],
  ['Refused logins and faults of the device link', LINK_FAULTS],
  ['Parts, and why jobs ended', PARTS],
];

/** The page that lists every code with its values and its English text. */
export function sentencePage(): string {
  const words = Object.entries(WORDS).map(([kind, all]) => {
    const texts = all.map((word) => `\`${word}\`: ${ENGLISH_TEXTS.words[kind]?.[word]}`);
    return `| \`${kind}\` | ${texts.join('; ')} |`;
  });
  const lists = LISTS.map(([title, sentences]) => {
    const rows = Object.entries(sentences).map(([code, kinds]) => {
      const values = Object.entries(kinds).map(([name, kind]) => `\`${name}\`: ${kind}`);
      return `| \`${code}\` | ${values.join(', ')} | ${TEXTS_OF_CODES[code]?.replaceAll('|', '\\|')} |`;
    });
    return `\n## ${title}\n\n| code | values | text |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `${INTRODUCTION}${words.join('\n')}\n${lists.join('')}`;
}
