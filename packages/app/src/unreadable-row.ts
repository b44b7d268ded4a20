/** A stored item that could not be processed; all others were not affected. */
export interface SetAside {
  readonly kind: string;
  readonly id: string;
  readonly reason: string;
}

export type OnUnreadable = (item: SetAside) => void;

/** A stored row that this version cannot read. */
export class UnreadableRow extends Error {
  readonly item: SetAside;

  constructor(item: SetAside, options: ErrorOptions) {
    super(`${item.kind} ${item.id} cannot be read: ${item.reason}`, options);
    this.name = 'UnreadableRow';
    this.item = item;
  }
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
