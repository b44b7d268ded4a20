import type { TObject, TProperties } from 'typebox';
import { closed } from '../input/schema.ts';

/**
 * Only the service applies threshold rules and makes forecasts, so these fields are not sent. A device of an earlier release
 * may refuse a field that it does not know.
 */
const NOT_SENT = ['rules', 'product', 'animals', 'supply', 'withdrawals', 'time_zone'] as const;
type NotSent = (typeof NOT_SENT)[number];

const IS_NOT_SENT: ReadonlySet<string> = new Set(NOT_SENT);

/** A configuration as a device receives it. */
export type SentConfiguration<Configuration> = Omit<Configuration, NotSent>;

export const sentConfiguration = <Configuration extends object>(
  configuration: Configuration,
): SentConfiguration<Configuration> =>
  Object.fromEntries(
    Object.entries(configuration).filter(([name]) => !IS_NOT_SENT.has(name)),
  ) as SentConfiguration<Configuration>;

/** The schema of what is sent of a configuration. Its type is written out, because the library would try every order of the names. */
export const sentSchema = <Properties extends TProperties>(
  configuration: TObject<Properties>,
): TObject<Omit<Properties, NotSent>> =>
  closed(sentConfiguration(configuration.properties)) as unknown as TObject<Omit<Properties, NotSent>>;
