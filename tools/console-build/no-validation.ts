/** Stands in for the schema compiler in the operators' page. */
export const Compile = (): never => {
  throw new Error('this page does not validate');
};
