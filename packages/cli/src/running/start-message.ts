import type { Started } from '@granary/server/compose';

/**
 * The text after the start: the addresses, the admin key, and one command to try. The key itself is shown only on a terminal, because
 * other output is usually kept as a log, and only until somebody has used the key.
 */
export function startMessage(started: Started, siloSegment: string, isTerminal: boolean): string {
  const { httpUrl, adminKey, consoleUrl } = started;
  const { key, isUnused, file } = adminKey;
  const keptIn = whereIs(adminKey);
  const bearer = file === null ? '$GRANARY_ADMIN_KEY' : `$(cat ${file})`;
  return `
Granary is running.

  HTTP       ${bothOf(httpUrl, started.httpsUrl)}
  MQTT       ${bothOf(started.mqttUrl, started.mqttsUrl)}
${consoleUrl === null ? '' : `  Console    ${consoleUrl}${consoleUrl.includes('#') ? ' (signs in once)' : ''}\n`}  Admin key  ${isTerminal && isUnused ? `${key} (shown until it is used, ${keptIn})` : keptIn}

Try it:

  curl -H "Authorization: Bearer ${bearer}" ${httpUrl}/v1/${siloSegment}/devices

Ctrl+C stops it.
`;
}

const ELSEWHERE =
  'made by another node; use that one, or set GRANARY_ADMIN_KEY to one of your own, which is then valid';

function whereIs({ file, isElsewhere }: Started['adminKey']): string {
  if (isElsewhere) return ELSEWHERE;
  return file === null ? 'as set in GRANARY_ADMIN_KEY' : `kept in ${file}`;
}

const bothOf = (url: string, secureUrl: string | null): string =>
  secureUrl === null || secureUrl === url ? url : `${url} and ${secureUrl}`;
