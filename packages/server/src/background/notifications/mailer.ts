import { connect, type Socket } from 'node:net';
import { SECOND_MS } from '@granary/contract/time';
import { createTransport, type SMTPTransportOptions } from 'nodemailer';
import type { MailAddress, SmtpServer } from '../../process/setting-values.ts';

/** A server that is slow or hangs must not hold up the messages to others for longer. */
const MAIL_MS_MAX = 45 * SECOND_MS;

type GetSocket = NonNullable<SMTPTransportOptions['getSocket']>;

interface MailAttachment {
  readonly filename: string;
  readonly content: string;
  readonly contentType: string;
}

export interface Mail {
  /** The id is the same in every attempt, so that mail servers and people recognise a repetition. */
  readonly messageId: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly attachments?: readonly MailAttachment[];
  readonly atMs: number;
}

/** Sends e-mail through one SMTP server, each message over its own connection. */
export class Mailer {
  readonly #server: SmtpServer;
  readonly #from: MailAddress;
  readonly #limitMs: number;
  readonly #sockets = new Set<Socket>();

  constructor(server: SmtpServer, from: MailAddress, limitMs = MAIL_MS_MAX) {
    this.#server = server;
    this.#from = from;
    this.#limitMs = limitMs;
  }

  /** Aborts the messages that are being sent. */
  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Resolves when the server has accepted the message. */
  async send({ messageId, to, subject, text, html, attachments = [], atMs }: Mail): Promise<void> {
    const { host, port, isTls, isTlsRequired, user, password } = this.#server;
    let socket: Socket | undefined;
    // The socket is made here, because only then can it be closed when the time is over, whatever the server sends.
    const getSocket: GetSocket = (_options, done) => {
      const opened = connect({ host, port });
      socket = opened;
      this.#sockets.add(opened);
      opened.once('close', () => this.#sockets.delete(opened));
      opened.once('error', done);
      opened.once('connect', () => {
        opened.off('error', done);
        done(null, { connection: opened });
      });
    };
    const transport = createTransport({
      host,
      port,
      secure: isTls,
      requireTLS: isTlsRequired,
      getSocket,
      disableFileAccess: true,
      disableUrlAccess: true,
      ...(user === null ? {} : { auth: { user, pass: password ?? '' } }),
    });
    const domain = this.#from.address.split('@').at(-1);
    const sending = transport.sendMail({
      from: { ...this.#from },
      to: { name: '', address: to },
      subject,
      text,
      ...(html === undefined ? {} : { html }),
      attachments: [...attachments],
      date: new Date(atMs),
      messageId: `<${messageId}@${domain}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    const tooLate = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      socket?.destroy();
      tooLate.reject(new Error(`the mail server did not finish within ${this.#limitMs / SECOND_MS} s`));
    }, this.#limitMs);
    try {
      await Promise.race([sending, tooLate.promise]);
    } finally {
      clearTimeout(timer);
      sending.catch(() => undefined);
    }
  }
}
