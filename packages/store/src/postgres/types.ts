import { type CustomTypesConfig, types } from 'pg';

/** Every whole number in the schema fits a JavaScript number; larger sums are cast where they are read. */
export const NUMBERS: CustomTypesConfig = {
  getTypeParser: (id: number, format?: 'text' | 'binary') =>
    id === types.builtins.INT8 ? Number : types.getTypeParser(id, format),
};
