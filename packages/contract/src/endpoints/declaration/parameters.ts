import type { TSchema } from 'typebox';
import type { ErrorCode } from '../../errors.ts';
import { DeviceId } from '../../ids.ts';
import { id } from '../../input/text-schemas.ts';
import type { GroupName } from './groups.ts';
import { parameterNames } from './paths.ts';

/** A parameter of a path. */
interface Parameter {
  /** The schema is for documents only: a value of another form is answered as not found. */
  readonly schema: TSchema;
  readonly description: string;
  /** The error code for an unknown id. */
  readonly notFound: ErrorCode;
  /** The value in examples. */
  readonly example: string;
}

export type Parameters = Readonly<Record<string, Parameter>>;

/** The parameters that the paths of several slices have. */
const SHARED: Parameters = {
  device_id: {
    schema: DeviceId,
    description: 'the id that was chosen when the device was registered',
    notFound: 'device_not_found',
    example: 'silo-7',
  },
  key_id: {
    schema: id(),
    description: 'the id of an API key, which is not the key itself',
    notFound: 'key_not_found',
    example: 'key_019a86c5f3c07b2a',
  },
};

/** The examples of groups in which they differ from the usual ones. */
const EXAMPLES_OF_GROUPS: Partial<Record<GroupName, Readonly<Record<string, string>>>> = {
  field: { device_id: 'rover-3' },
};

/** The parameters of a path in their order, of which a slice declares those that only it has. */
export function parametersOf(path: string, group: GroupName, own: Parameters): Parameters {
  const parameters = parameterNames(path).map((name) => {
    const parameter = own[name] ?? SHARED[name];
    if (parameter === undefined) throw new Error(`the path ${path} has a parameter that is not described`);
    return [name, { ...parameter, example: EXAMPLES_OF_GROUPS[group]?.[name] ?? parameter.example }];
  });
  return Object.fromEntries(parameters);
}
