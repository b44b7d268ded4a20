/** The names and types of a value, so that differing values compare equal. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

/** Replaces what differs from run to run. */
export function normal(value: unknown, name = ''): unknown {
  if (name === 'age_s') return '<ages>';
  if (typeof value === 'string')
    return ['secret', 'key', 'next_cursor', 'request_id'].includes(name) ? `<${name}>` : normalText(value);
  if (typeof value === 'number')
    return /_ms$|^ts$|sequence|duration|progress|estimated|last_event_id/.test(name) ? '<number>' : value;
  if (Array.isArray(value)) return value.map((one) => normal(one, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([own, member]) => [own, normal(member, own)]));
}

export const normalText = (text: string): string =>
  text
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, '<time>')
    .replace(/\b1[67]\d{11}\b/g, '<ms>')
    .replace(/\b(au|op|cmd|ms|al|alert|key|req|evt|mission|msn|nr|ntf|wh|test)_[0-9a-z]{10,}\b/g, '<$1 id>')
    .replace(/\bgk_\w+|\bg[rncs]?_[A-Za-z0-9_-]{20,}/g, '<key>')
    .replace(/"request_id":"[^"]+"/g, '"request_id":"<id>"')
    .replace(/cursor=[\w%=-]+/g, (found) => (found.includes('nonsense') ? found : 'cursor=<cursor>'));
