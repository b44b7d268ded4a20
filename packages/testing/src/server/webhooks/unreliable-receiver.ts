import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { verify } from './receiver.ts';
import type { AcceptedMessage } from './receiver-process.ts';

/** A receiver in a process of its own, which fails a third of the time and writes the accepted messages to a file. */
const [port = '0', file = '', givenSecret = ''] = process.argv.slice(2);
let secret = givenSecret;
process.on('message', (message: string) => {
  secret = message;
});

/** Whether the signature is right. It is checked on arrival, because a signature is valid for five minutes. */
function isSigned(message: Parameters<typeof verify>[1]): boolean {
  try {
    verify(secret, message);
    return true;
  } catch {
    return false;
  }
}

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => {
    const chance = Math.random();
    if (chance < 1 / 9) request.socket.destroy();
    else if (chance < 1 / 3) response.writeHead(500).end();
    else {
      const { headers } = request;
      // The message is written before the answer, so that every accepted message is in the file.
      const accepted: AcceptedMessage = {
        id: String(headers['webhook-id']),
        text,
        isSigned: isSigned({ headers, text }),
      };
      appendFileSync(file, `${JSON.stringify(accepted)}\n`);
      response.writeHead(204).end();
    }
  });
});
server.listen(Number(port), '127.0.0.1', () => process.send?.(server.address()));
// The parent process has ended.
process.once('disconnect', () => process.exit());
