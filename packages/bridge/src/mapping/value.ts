/** Why a value must not be used. */
export const BAD_REASONS = [
  'out_of_range',
  /** Another point of the device says that this one is not valid. */
  'bad_status',
  /** The device sends this number where it has no value. */
  'none_value',
  'not_a_number',
  /** The table has no line for what the device says about scale or unit. */
  'unknown_scale',
  'unknown_unit',
  'unknown_value',
] as const;
export type BadReason = (typeof BAD_REASONS)[number];

/** The value of another point of the same read decides about this one. */
export interface Condition {
  readonly point: string;
  /** It holds when the value, before scale and offset, is one of these; or when this bit is set. */
  readonly is: { readonly values: readonly number[] } | { readonly bit: number };
}

export interface FromPoint<Entry> {
  readonly point: string;
  readonly table: ReadonlyMap<string, Entry>;
}

/** What makes a value of what a device says; the same for all protocols. Everything stands for the value of one point. */
export interface ValueRules {
  /** value = raw × scale + offset */
  readonly scale: number;
  readonly offset: number;
  readonly scaleFrom: FromPoint<number> | null;
  /** Makes the value negative: for devices that send the sign in a status bit. */
  readonly negativeWhen: Condition | null;
  /** The numbers that codes or texts stand for. */
  readonly table: ReadonlyMap<string, number> | null;
  readonly unit: string;
  readonly unitFrom: FromPoint<string> | null;
  /** The unit of the result, where it is not that of the device. */
  readonly convert: string | null;
  readonly none: readonly number[];
  readonly range: readonly [number, number] | null;
  /** Bad when one of these holds. */
  readonly badWhen: readonly Condition[];
  /** Bad unless all of these hold. */
  readonly validWhen: readonly Condition[];
}
