import { createServer, type Server, type Socket } from 'node:net';
import { frameOf, type ReadRequest } from './frame.ts';

/** Returns the data of an answer, the number of an exception, or `null` for silence. */
export type Answerer = (unit: number, request: ReadRequest) => Buffer | number | null;

const HEADER_BYTES = 7;
const REQUEST_BYTES = 12;

/** Starts a Modbus TCP device that answers read requests: to play recordings, and for tests. */
export function modbusServer(
  answer: Answerer,
  connected: (socket: Socket) => void = () => undefined,
): Server {
  return createServer({ noDelay: true }, (socket) => {
    let bytes: Buffer = Buffer.alloc(0);
    connected(socket);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      for (;;) {
        const end =
          bytes.length < HEADER_BYTES ? Number.POSITIVE_INFINITY : HEADER_BYTES - 1 + bytes.readUInt16BE(4);
        if (bytes.length < end) return;
        const frame = bytes.subarray(0, end);
        bytes = bytes.subarray(end);
        const reply = replyTo(frame, answer);
        if (reply !== null) socket.write(reply);
      }
    });
  });
}

function replyTo(frame: Buffer, answer: Answerer): Buffer | null {
  const [transaction, unit, functionCode] = [frame.readUInt16BE(0), frame[6] ?? 0, frame[7] ?? 0];
  const isRead = frame.length === REQUEST_BYTES && functionCode >= 1 && functionCode <= 4;
  const found = isRead
    ? answer(unit, { functionCode, at: frame.readUInt16BE(8), count: frame.readUInt16BE(10) })
    : 1;
  if (found === null) return null;
  const pdu =
    typeof found === 'number'
      ? Buffer.from([functionCode + 0x80, found])
      : Buffer.concat([Buffer.from([functionCode, found.length]), found]);
  return frameOf('tcp', { transaction, unit, pdu });
}
