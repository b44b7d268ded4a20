/** The few words in which the engines' table definitions differ. */
export interface Dialect {
  readonly generatedKey: string;
  /** Text that compares byte by byte, so that both engines page in the same order. */
  readonly idText: string;
  /** Rows live in the primary key itself. */
  readonly clustered: string;
  readonly partitionedByTime: string;
  /** Leaves room in each page for rows that are updated again and again. */
  readonly oftenUpdated: string;
  /** Answers where in its first argument the second one stands. */
  readonly positionFunction: string;
}
