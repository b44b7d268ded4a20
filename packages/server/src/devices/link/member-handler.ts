import type {
  Ending,
  LinkDevice,
  LinkHandler,
  LinkRejection,
  MessageOutcome,
  UplinkMessage,
} from '@granary/link/port';

/** The handler of one member: the handler of the service, except for what depends on the member. */
export class MemberHandler implements LinkHandler {
  readonly #service: LinkHandler;
  readonly authenticate: LinkHandler['authenticate'];
  readonly observed: LinkHandler['observed'];

  constructor(service: LinkHandler, own: Pick<LinkHandler, 'authenticate' | 'observed'>) {
    this.#service = service;
    this.authenticate = own.authenticate;
    this.observed = own.observed;
  }

  get isHolding(): boolean {
    return this.#service.isHolding;
  }

  received(device: LinkDevice, message: UplinkMessage): Promise<MessageOutcome> {
    return this.#service.received(device, message);
  }

  rejected(device: LinkDevice, rejection: LinkRejection): Promise<void> {
    return this.#service.rejected(device, rejection);
  }

  connected(device: LinkDevice): void {
    this.#service.connected(device);
  }

  disconnected(device: LinkDevice, ending: Ending): void {
    this.#service.disconnected(device, ending);
  }

  reachable(device: LinkDevice): void {
    this.#service.reachable(device);
  }

  unreachable(device: LinkDevice): void {
    this.#service.unreachable(device);
  }

  awaitsConfiguration(device: LinkDevice): void {
    this.#service.awaitsConfiguration(device);
  }
}
