import { type TObject, Type } from 'typebox';

/**
 * Only the service applies threshold rules, so they are not sent. A device of an earlier release may refuse a field that it
 * does not know.
 */
type NotSent = 'rules';

/** A configuration as a device receives it. */
export type SentConfiguration<Configuration> = Omit<Configuration, NotSent>;

export const sentConfiguration = <Configuration extends { readonly rules: unknown }>({
  rules: _,
  ...sent
}: Configuration): SentConfiguration<Configuration> => sent;

/** The schema of what is sent of a configuration. */
export const sentSchema = <Configuration extends TObject>(configuration: Configuration) =>
  Type.Omit(configuration, ['rules'], { additionalProperties: false });
