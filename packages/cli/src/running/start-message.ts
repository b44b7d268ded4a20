import type { Started } from '@granary/server/compose';

/** The text after the start: the addresses, the admin key, and one command to try. */
export function startMessage(started: Started, siloSegment: string): string {
  const { httpUrl, adminKey, consoleUrl } = started;
  const { key, isNew, file } = adminKey;
  const keptIn = file === null ? 'as set in GRANARY_ADMIN_KEY' : `kept in ${file}`;
  const bearer = file === null ? '$GRANARY_ADMIN_KEY' : `$(cat ${file})`;
  return `
Granary is running.

  HTTP       ${bothOf(httpUrl, started.httpsUrl)}
  MQTT       ${bothOf(started.mqttUrl, started.mqttsUrl)}
${consoleUrl === null ? '' : `  Console    ${consoleUrl}${consoleUrl.includes('#') ? ' (signs in once)' : ''}\n`}  Admin key  ${isNew ? `${key} (shown this once, ${keptIn})` : keptIn}

Try it:

  curl -H "Authorization: Bearer ${bearer}" ${httpUrl}/v1/${siloSegment}/devices

Ctrl+C stops it.
`;
}

const bothOf = (url: string, secureUrl: string | null): string =>
  secureUrl === null || secureUrl === url ? url : `${url} and ${secureUrl}`;
