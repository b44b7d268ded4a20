/** What a device's sensors say of one moment, in the words of the device link. */
export interface Reading {
  readonly ts: number;
}
