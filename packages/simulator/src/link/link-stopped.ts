/** A message was not delivered, because the device was switched off. */
export class LinkStoppedError extends Error {
  constructor() {
    super('the link was stopped');
    this.name = 'LinkStoppedError';
  }
}
