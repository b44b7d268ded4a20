import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { assertPublished } from './published/answer-check.ts';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A connection on which any bytes can be sent, also those that no HTTP client would send. */
export class RawConnection {
  readonly #socket: Socket;
  #received = '';
  /** The bytes that were sent first, which contain the request line. */
  #sent = '';

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      this.#received += text;
    });
    // The service may close the connection while something is being sent.
    socket.on('error', () => undefined);
  }

  static async open(httpUrl: string): Promise<RawConnection> {
    const { hostname, port } = new URL(httpUrl);
    const socket = connect(Number(port), hostname);
    const connection = new RawConnection(socket);
    await once(socket, 'connect');
    return connection;
  }

  send(bytes: string | Buffer): void {
    if (this.#sent === '') this.#sent = bytes.toString('latin1');
    if (this.#socket.writable) this.#socket.write(bytes);
  }

  /** The first whole answer, or `null` if the connection is closed without one. */
  async answer(): Promise<RawAnswer | null> {
    for (;;) {
      const answer = wholeAnswer(this.#received);
      if (answer !== null) return this.#checked(answer);
      if (this.#socket.closed) return null;
      await Promise.race([once(this.#socket, 'data'), once(this.#socket, 'close')]).catch(() => undefined);
    }
  }

  #checked(answer: RawAnswer): RawAnswer {
    const [, method = '', path = ''] = /^(\w+) (\S+) HTTP/.exec(this.#sent) ?? [];
    assertPublished({ method, path, ...answer });
    return answer;
  }

  async closed(): Promise<void> {
    // `once` of events is not used, because it rejects if something is being sent while the service closes the connection.
    if (!this.#socket.closed)
      await new Promise<void>((resolve) => this.#socket.once('close', () => resolve()));
  }

  close(): void {
    this.#socket.destroy();
  }
}

function wholeAnswer(received: string): RawAnswer | null {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const [statusLine = '', ...lines] = received.slice(0, end).split('\r\n');
  const headers = new Headers();
  for (const line of lines)
    headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim());
  const text = received.slice(end + 4);
  if (text.length < Number(headers.get('content-length') ?? 0)) return null;
  return { status: Number(statusLine.split(' ')[1]), headers, text };
}

/** Sends the bytes on a new connection and waits for the answer. */
export async function exchange(httpUrl: string, bytes: string | Buffer): Promise<RawAnswer | null> {
  const connection = await RawConnection.open(httpUrl);
  connection.send(bytes);
  const answer = await connection.answer();
  connection.close();
  return answer;
}
