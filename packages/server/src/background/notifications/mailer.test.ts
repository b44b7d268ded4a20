import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { MailServer, smtpRefusal } from '@granary/testing/server/mail-server';
import type { SMTPServerOptions } from 'smtp-server';
import { asSmtpServer, type SmtpServer } from '../../process/setting-values.ts';
import { type Mail, Mailer } from './mailer.ts';
import { isPermanentFailure } from './sender.ts';

const FROM = { name: 'Granary nörth', address: 'granary@farm.example' };
const MAIL: Mail = {
  messageId: 'ntf_1',
  to: 'ada@example.com',
  subject: 'Warning: Silo 7',
  atMs: Date.UTC(2026, 5, 15),
  text: 'Level 12 % – low.\n',
};

describe('mailer', () => {
  const undos: (() => Promise<unknown>)[] = [];
  after(async () => {
    for (const undo of undos) await undo();
  });

  async function serving(options: Omit<SMTPServerOptions, 'onData'> = {}): Promise<MailServer> {
    const server = await new MailServer(options).start();
    undos.push(() => server.stop());
    return server;
  }

  /** Starts a server that handles each connection with the function. */
  async function listening(onConnection: (socket: Socket) => void): Promise<string> {
    const server: Server = createServer((socket) => {
      socket.on('error', () => undefined);
      onConnection(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    undos.push(async () => server.close());
    return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const at = (url: string): SmtpServer => {
    const parsed = asSmtpServer(url);
    if (parsed instanceof Error) throw parsed;
    return parsed;
  };
  const send = (url: string, mail: Partial<Mail> = {}, limitMs?: number): Promise<void> =>
    new Mailer(at(url), FROM, limitMs).send({ ...MAIL, ...mail });
  const failure = (sending: Promise<void>): Promise<unknown> =>
    sending.then(
      () => assert.fail('it was sent'),
      (error: unknown) => error,
    );

  it('sends plain text to one recipient, with a stable id', async () => {
    const server = await serving();
    await send(server.url);
    await send(server.url);
    const [first, second] = server.received;
    assert.deepEqual([first?.from, first?.to], ['granary@farm.example', ['ada@example.com']]);
    assert.equal(first?.text, 'Level 12 % – low.\n');
    for (const mail of [first, second]) {
      assert.match(mail?.headers ?? '', /^Message-ID: <ntf_1@farm\.example>/m);
      assert.match(mail?.headers ?? '', /^Subject: Warning: Silo 7/m);
      assert.match(mail?.headers ?? '', /^Date: Mon, 15 Jun 2026 00:00:00 \+0000/m);
      assert.match(mail?.headers ?? '', /^Content-Type: text\/plain; charset=utf-8/m);
      assert.match(mail?.headers ?? '', /^Auto-Submitted: auto-generated/m);
    }
  });

  it('adds no header or recipient for a line break in a subject', async () => {
    const server = await serving();
    await send(server.url, { subject: 'x\r\nBcc: evil@example.com\r\n\r\nbody' });
    assert.deepEqual(server.received[0]?.to, ['ada@example.com']);
    assert.doesNotMatch(server.received[0]?.headers ?? '', /^Bcc/im);
  });

  it('logs in', async () => {
    const logins: unknown[] = [];
    const server = await serving({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) => {
        logins.push([username, password]);
        done(password === 'p@ss:w%rd' ? null : smtpRefusal(535, 'wrong password'), { user: username });
      },
    });
    const url = (password: string) =>
      `smtp://granary:${encodeURIComponent(password)}@127.0.0.1:${server.port}`;
    await send(url('p@ss:w%rd'));
    assert.deepEqual(logins, [['granary', 'p@ss:w%rd']]);
    const refused = await failure(send(url('guess-4711')));
    assert.ok(!isPermanentFailure(refused), 'the password may be corrected');
    assert.doesNotMatch(String(refused), /guess-4711/);
  });

  it('sends neither password nor message without encryption where it is required', async () => {
    const server = await serving();
    const refused = await failure(send(`${server.url}?tls=required`));
    assert.match(String(refused), /STARTTLS/i);
    assert.equal(server.received.length, 0);
  });

  it('refuses a certificate that nobody trusts', async () => {
    const server = await serving({ secure: true, disabledCommands: [] });
    const refused = await failure(send(server.url.replace('smtp:', 'smtps:')));
    assert.match(String(refused), /certificate/);
    assert.equal(server.received.length, 0);
  });

  it('tries again later what is greylisted, and gives up what is refused for good', async () => {
    const refusing = (code: number) =>
      serving({ onRcptTo: (_address, _session, done) => done(smtpRefusal(code, 'refused here')) });
    for (const [code, isPermanent] of [
      [450, false],
      [421, false],
      [550, true],
      [553, true],
    ] as const) {
      const refused = await failure(send((await refusing(code)).url));
      assert.equal(isPermanentFailure(refused), isPermanent, String(code));
      assert.match(String(refused), /refused here/);
    }
  });

  it('tries again when the sender is refused, because the setting can be corrected', async () => {
    const server = await serving({
      onMailFrom: (_address, _session, done) => done(smtpRefusal(553, 'not your address')),
    });
    assert.ok(!isPermanentFailure(await failure(send(server.url))));
  });

  it('tries again when nobody listens, or whoever listens closes, hangs, drips or speaks another language', async () => {
    const faults: Record<string, (socket: Socket) => void> = {
      closes: (socket) => socket.destroy(),
      hangs: () => undefined,
      drips: (socket) => {
        const timer = setInterval(() => socket.write('220-'), 20);
        socket.on('close', () => clearInterval(timer));
      },
      'drips lines': (socket) => {
        const timer = setInterval(() => socket.write('220-wait\r\n'), 20);
        socket.on('close', () => clearInterval(timer));
      },
      'speaks HTTP': (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    };
    for (const [name, fault] of Object.entries(faults)) {
      const refused = await failure(send(await listening(fault), {}, 300));
      assert.ok(refused instanceof Error && !isPermanentFailure(refused), name);
    }
    const away = await serving();
    await away.stop();
    assert.match(String(await failure(send(away.url))), /ECONNREFUSED/);
  });

  it('closes the connection of a message that took too long', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const url = await listening((socket) => socket.on('close', () => resolve()));
    await failure(send(url, {}, 100));
    await promise;
  });
});
