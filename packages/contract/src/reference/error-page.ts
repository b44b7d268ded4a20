import { ERROR_TEXTS } from '../error-texts.ts';
import { ERROR_CODES, STATUS_OF } from '../errors.ts';

const INTRODUCTION = `# Errors

This page is made by \`npm run references\`; the texts are in \`packages/contract/src/error-texts.ts\`.

A refusal is \`{"success": false, "error": {"code", "message", "message_code"?, "message_values"?, "details"?, "request_id"}}\`. Programs decide by \`code\`, which
stays the same; \`message\` is for people and says more about the single case, which \`message_code\` and \`message_values\` tell to programs ([sentences.md](sentences.md)). \`details\` lists the faults of an input with their places.
Which endpoint can answer which code is in [openapi.json](openapi.json).
`;

/** The page that explains every error code, in the order of their statuses. */
export function errorPage(): string {
  const byStatus = ERROR_CODES.toSorted((a, b) => STATUS_OF[a] - STATUS_OF[b]);
  const rows = byStatus.map((code) => {
    const { means, cure } = ERROR_TEXTS[code];
    return `| ${STATUS_OF[code]} | \`${code}\` | ${means} | ${cure} |`;
  });
  return `${INTRODUCTION}
| status | code | what it means | what to do |
|---|---|---|---|
${rows.join('\n')}
`;
}
