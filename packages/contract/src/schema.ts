import { type Static, type TSchema, Type } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';

/** One thing that is wrong with an input, addressed by JSON pointer. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

/** A schema made ready to check values. Compiled at first use, so that start-up pays only for what is used. */
export interface Checker<Value> {
  readonly schema: TSchema;
  accepts(value: unknown): value is Value;
  faults(value: unknown): Fault[];
}

const FAULTS_MAX = 20;

export function checker<T extends TSchema>(schema: T): Checker<Static<T>> {
  let compiled: Validator | undefined;
  const validator = () => {
    compiled ??= Compile(schema);
    return compiled;
  };
  return {
    schema,
    accepts: (value): value is Static<T> => validator().Check(value),
    faults: (value) => describe(validator().Errors(value)),
  };
}

interface RawError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

/** Unions report every branch and closed objects report twice; people want each fault once. */
function describe(errors: Iterable<RawError>): Fault[] {
  const faults = new Map<string, Fault>();
  for (const error of errors) {
    for (const fault of faultsOf(error)) {
      faults.set(`${fault.path} ${fault.message}`, fault);
    }
    if (faults.size >= FAULTS_MAX) break;
  }
  return [...faults.values()];
}

function faultsOf({ keyword, instancePath, message, params }: RawError): Fault[] {
  if (keyword === 'boolean' || keyword === 'anyOf') return [];
  if ('additionalProperties' in params && Array.isArray(params.additionalProperties)) {
    return params.additionalProperties.map((name) => ({
      path: `${instancePath}/${name}`,
      message: 'is not a known field',
    }));
  }
  if ('requiredProperties' in params && Array.isArray(params.requiredProperties)) {
    return params.requiredProperties.map((name) => ({
      path: `${instancePath}/${name}`,
      message: 'is required',
    }));
  }
  if ('allowedValues' in params && Array.isArray(params.allowedValues)) {
    return [{ path: instancePath, message: `must be one of ${params.allowedValues.join(', ')}` }];
  }
  return [{ path: instancePath, message }];
}

/** An object that refuses fields it does not know. */
export function closed<P extends Parameters<typeof Type.Object>[0]>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}
