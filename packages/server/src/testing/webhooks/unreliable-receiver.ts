import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

/** A receiver in a process of its own, which fails a third of the time and writes what it accepted to a file. */
const [port = '0', file = ''] = process.argv.slice(2);

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
      // Written before the answer, so that a message that was accepted is in the file.
      appendFileSync(file, `${JSON.stringify({ headers, text })}\n`);
      response.writeHead(204).end();
    }
  });
});
server.listen(Number(port), '127.0.0.1', () => process.send?.(server.address()));
// The parent process has ended.
process.once('disconnect', () => process.exit());
