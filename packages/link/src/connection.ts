import type { Socket } from 'node:net';
import type { DownSubject } from '@granary/contract/link';
import type { ConnectPacket } from 'aedes';
import { InboundGate } from './inbound-gate.ts';
import type { Ending, LinkDevice } from './port.ts';

export type Will = NonNullable<ConnectPacket['will']>;

/** One socket, from its acceptance to its end, and the device behind it once that is known. */
export class Connection {
  readonly socket: Socket;
  readonly gate: InboundGate;
  readonly subscribed = new Set<DownSubject>();
  will: Will | undefined;
  #device: LinkDevice | null = null;
  #ending: Ending | null = null;

  constructor(socket: Socket, refused: (connection: Connection, reason: string) => void) {
    this.socket = socket;
    this.gate = new InboundGate(socket, (reason) => refused(this, reason));
  }

  get device(): LinkDevice | null {
    return this.#device;
  }

  /** As far as anybody has noticed; a peer that is simply gone leaves no other trace. */
  get ending(): Ending {
    return this.#ending ?? (this.gate.endsWithDisconnect ? 'clean' : 'lost');
  }

  admit(device: LinkDevice): void {
    this.#device = device;
    this.gate.open();
  }

  /** The first to notice why it ends is right; what follows are consequences. */
  endingAs(ending: Ending): void {
    this.#ending ??= ending;
  }

  end(ending: Ending): void {
    this.endingAs(ending);
    this.socket.destroy();
  }
}
