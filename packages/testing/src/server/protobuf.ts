/** Encodes a number with seven bits in each byte. */
export function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return [...bytes, rest];
}

/** Encodes a field with bytes: a text or another message. */
export const message = (field: number, body: Buffer | number[]): number[] => [
  ...varint(field * 8 + 2),
  ...varint(body.length),
  ...body,
];

export const numberField = (field: number, value: number): number[] => [
  ...varint(field * 8),
  ...varint(value),
];

/** Encodes a number of eight bytes. */
export function longField(field: number, value: bigint): number[] {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return [...varint(field * 8 + 1), ...bytes];
}

export const textField = (field: number, text: string): number[] => message(field, Buffer.from(text));
