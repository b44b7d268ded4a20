const LINE_CHARS_MAX = 120;

/** JSON for people: what fits into a line is on one line, so that a change shows its surroundings in a review. */
export const readableJson = (value: unknown): string => `${write(value, '')}\n`;

function write(value: unknown, indent: string): string {
  const short = oneLine(value);
  if (typeof value !== 'object' || value === null || indent.length + short.length <= LINE_CHARS_MAX)
    return short;
  const deeper = `${indent}  `;
  const [open, close, lines] = Array.isArray(value)
    ? ['[', ']', value.map((item) => write(item, deeper))]
    : [
        '{',
        '}',
        Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${write(one, deeper)}`),
      ];
  return `${open}\n${lines.map((line) => deeper + line).join(',\n')}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${oneLine(one)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
