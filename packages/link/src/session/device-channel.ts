import { DOWN_SUBJECTS, type DownSubject, topicOf } from '@granary/contract/link/messages';
import { sentence } from '@granary/contract/sentences/codes';
import { printable } from '../codec.ts';
import {
  EXCERPT_CHARACTERS_MAX,
  MESSAGE_OVERHEAD_BYTES,
  UNACKNOWLEDGED_MAX,
  UNRELEASED_MAX,
} from '../limits.ts';
import type { Frame } from '../mqtt/frame-reader.ts';
import {
  decodePacketId,
  decodePublish,
  decodeSubscribe,
  decodeUnsubscribe,
  type PublishPacket,
  RecentTopic,
  requireEmpty,
  type Will,
} from '../mqtt/packet-decoder.ts';
import {
  PINGRESP,
  PUBACK_HEADER,
  PUBREC_HEADER,
  pubcomp,
  publish,
  SUBSCRIPTION_REFUSED,
  suback,
  unsuback,
} from '../mqtt/packet-encoder.ts';
import {
  DISCONNECT,
  PINGREQ,
  ProtocolFault,
  PUBACK,
  PUBCOMP,
  PUBLISH,
  PUBREC,
  PUBREL,
  SUBSCRIBE,
  UNSUBSCRIBE,
} from '../mqtt/packet-types.ts';
import type {
  Delivery,
  LinkConfiguration,
  LinkDevice,
  LinkHandler,
  MessageOutcome,
  MessageReceipts,
} from '../port.ts';
import { isDownSubject, ownSubject } from '../topics.ts';
import { AcknowledgementQueue } from './acknowledgements.ts';
import type { Connection } from './connection.ts';
import { deliver } from './deliver.ts';
import type { LinkRecord } from './link-records.ts';
import type { Session } from './session.ts';
import { UsualMessages } from './usual-messages.ts';

const PACKET_ID_MAX = 0xffff;
/** The flags of a PUBLISH with QoS 1 that is neither repeated nor retained. */
const USUAL_FLAGS = 2;

interface ChannelParts {
  readonly connection: Connection;
  readonly device: LinkDevice;
  readonly session: Session;
  readonly record: LinkRecord;
  readonly will: Will | null;
  readonly connectedAtMs: number;
  readonly handler: LinkHandler;
  readonly failed: (error: unknown) => void;
}

/** The MQTT conversation with one authenticated device on one connection. */
export class DeviceChannel implements MessageReceipts {
  readonly parts: ChannelParts;
  readonly #acknowledgements = new AcknowledgementQueue();
  readonly #window = new OutboundWindow();
  readonly #recentTopic = new RecentTopic();
  /**
   * The stage of the decoder for usual telemetry, with the bytes with which its packets begin: the length of the topic and the
   * topic. `null` if the service takes no usual telemetry.
   */
  #usual: { readonly beginning: Uint8Array; readonly messages: UsualMessages } | null | undefined;
  readonly #announced = new Set<DownSubject>();
  #configurationVersion = Number.NEGATIVE_INFINITY;
  #isFlushPlanned = false;

  constructor(parts: ChannelParts) {
    this.parts = parts;
  }

  get unacknowledged(): number {
    return this.#window.size;
  }

  isSubscribed(subject: DownSubject): boolean {
    return this.parts.session.granted.has(subject);
  }

  /** Reports each subscription to the service once per connection, whether it was resumed or just made. */
  announceSubscriptions(): void {
    const { device, handler, connection } = this.parts;
    for (const subject of DOWN_SUBJECTS) {
      if (connection.hasEnded || !this.isSubscribed(subject) || this.#announced.has(subject)) continue;
      this.#announced.add(subject);
      if (subject === 'command') handler.reachable(device);
      else handler.awaitsConfiguration(device);
    }
  }

  receive(frame: Frame): void {
    const { connection } = this.parts;
    switch (frame.type) {
      case PUBLISH:
        if (!this.#takesUsual(frame)) this.#published(decodePublish(frame, this.#recentTopic));
        break;
      case PUBACK:
        this.#window.acknowledge(decodePacketId(frame, 0));
        break;
      case PUBREL:
        this.#released(decodePacketId(frame, 2));
        break;
      case SUBSCRIBE:
        connection.writeTogether(() => this.#subscribe(frame));
        break;
      case UNSUBSCRIBE:
        this.#unsubscribe(frame);
        break;
      case PINGREQ:
        requireEmpty(frame);
        connection.write(PINGRESP);
        break;
      case DISCONNECT:
        requireEmpty(frame);
        connection.end('clean', 'device sent DISCONNECT');
        break;
      case PUBREC:
      case PUBCOMP:
        // These packets answer a QoS 2 message, which the link never sends; a device may still have one of another broker.
        decodePacketId(frame, 0);
        break;
      default:
        throw new ProtocolFault(sentence('packet_not_for_server', { type: frame.type }));
    }
  }

  sendCommand(command: object, repeatKey: string | null): Delivery {
    return this.#send('command', command, repeatKey, false);
  }

  /** The first configuration on a connection is marked as retained: it is the present state, not a change. */
  sendConfiguration(configuration: LinkConfiguration): Delivery {
    if (this.#configurationVersion >= configuration.version) return 'in_flight';
    const isFirst = this.#configurationVersion === Number.NEGATIVE_INFINITY;
    const delivery = this.#send('config', configuration, null, isFirst);
    if (delivery === 'sent') this.#configurationVersion = configuration.version;
    return delivery;
  }

  #send(subject: DownSubject, message: object, repeatKey: string | null, isRetained: boolean): Delivery {
    const { connection, device, session, record, failed } = this.parts;
    const qos = session.granted.get(subject);
    if (connection.hasEnded) return 'not_connected';
    if (qos === undefined) return 'not_subscribed';
    if (this.#window.isInFlight(repeatKey)) return 'in_flight';
    if (this.#window.size >= UNACKNOWLEDGED_MAX) {
      failed(new ProtocolFault(sentence('left_unacknowledged', { count: UNACKNOWLEDGED_MAX })));
      return 'not_connected';
    }
    const packetId = qos === 0 ? 0 : this.#window.begin(repeatKey);
    const payload = JSON.stringify(message);
    const packet = publish({ topic: topicOf(device.deviceId, subject), payload, qos, isRetained, packetId });
    if (qos === 0) this.#window.hold(repeatKey);
    connection.write(packet, qos === 0 ? () => this.#window.release(repeatKey) : undefined);
    // The write may have disconnected a device that does not read.
    if (connection.hasEnded) return 'not_connected';
    record.messagesOut += 1;
    record.totals.messagesOut += 1;
    return 'sent';
  }

  stored(message: number): void {
    this.#acknowledgements.ready(message);
    this.parts.connection.messageStored(this.#acknowledgements.bytesOf(message));
    this.#planFlush();
  }

  failed(message: number, error: unknown): void {
    this.parts.connection.messageStored(this.#acknowledgements.bytesOf(message));
    this.parts.failed(error);
  }

  /** Takes usual telemetry of this device without making a packet of the frame; returns false for every other message. */
  #takesUsual({ flags, bytes, start, end }: Frame): boolean {
    if (flags !== USUAL_FLAGS) return false;
    if (this.#usual === undefined) this.#usual = this.#beginUsual();
    if (this.#usual === null) return false;
    const { beginning, messages } = this.#usual;
    const payloadAt = start + beginning.length + 2;
    if (payloadAt > end) return false;
    for (let at = 0; at < beginning.length; at++) if (bytes[start + at] !== beginning[at]) return false;
    const packetId = ((bytes[payloadAt - 2] ?? 0) << 8) | (bytes[payloadAt - 1] ?? 0);
    if (packetId === 0 || !messages.take(bytes, payloadAt, end, this.#acknowledgements.next)) return false;
    this.#acknowledgements.add(PUBACK_HEADER, packetId, this.#count(end - payloadAt));
    return true;
  }

  #beginUsual() {
    const { handler, device } = this.parts;
    const takeLayout = handler.usualTelemetry?.(device, this);
    if (takeLayout === undefined) return null;
    const topic = Buffer.from(topicOf(device.deviceId, 'telemetry'));
    return {
      messages: new UsualMessages(device, takeLayout),
      beginning: Uint8Array.of(topic.length >> 8, topic.length & 0xff, ...topic),
    };
  }

  /** Counts a message, and returns the number of bytes that wait to be stored because of it. */
  #count(payloadBytes: number): number {
    const { connection, record } = this.parts;
    record.messagesIn += 1;
    record.totals.messagesIn += 1;
    const bytes = payloadBytes + MESSAGE_OVERHEAD_BYTES;
    connection.messageAccepted(bytes);
    return bytes;
  }

  #published(packet: PublishPacket): void {
    const { connection } = this.parts;
    // The functions below keep only a number until the message is stored, and not the bytes that were read.
    const payloadBytes = packet.payload.length;
    const bytes = this.#count(payloadBytes);
    const header = packet.qos === 1 ? PUBACK_HEADER : PUBREC_HEADER;
    const message = packet.qos === 0 ? null : this.#acknowledgements.add(header, packet.packetId, bytes);
    this.#store(packet).then(
      (outcome) => {
        if (outcome === 'rejected') this.#slowDown(payloadBytes);
        if (message === null) connection.messageStored(bytes);
        else this.stored(message);
      },
      (error: unknown) => {
        connection.messageStored(bytes);
        this.parts.failed(error);
      },
    );
  }

  /** MQTT cannot report a rejection to the device, so the link reads it more slowly instead. */
  #slowDown(rejectedBytes: number): void {
    const { connection, record } = this.parts;
    const waitMs = record.rejectionAllowance.spend(rejectedBytes, performance.now());
    if (waitMs > 0) connection.pauseReading(waitMs);
  }

  #store({ qos, topic, packetId, payload }: PublishPacket): Promise<MessageOutcome> {
    const { handler, device, session } = this.parts;
    if (qos < 2) return deliver(handler, device, topic, payload);
    const { unreleased } = session;
    // A repeated message counts once, also while its first copy is still being stored.
    const known = unreleased.get(packetId);
    if (known !== undefined) return known;
    if (unreleased.size >= UNRELEASED_MAX) {
      throw new ProtocolFault(sentence('left_unreleased', { count: UNRELEASED_MAX }));
    }
    const stored = deliver(handler, device, topic, payload);
    unreleased.set(packetId, stored);
    stored.catch(() => {
      // The identifier may already belong to another message.
      if (unreleased.get(packetId) === stored) unreleased.delete(packetId);
    });
    return stored;
  }

  #released(packetId: number): void {
    const { connection, session } = this.parts;
    session.unreleased.delete(packetId);
    connection.write(pubcomp(packetId));
  }

  /** Collects all acknowledgements of one commit into one write. */
  #planFlush(): void {
    if (this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    process.nextTick(flushInTurn, this.parts.connection, this.#flush);
  }

  readonly #flush = (): void => {
    this.#isFlushPlanned = false;
    const bytes = this.#acknowledgements.takeReady();
    if (bytes !== null) this.parts.connection.write(bytes);
  };

  #subscribe(frame: Frame): void {
    const { connection, device, session, handler } = this.parts;
    const { packetId, filters } = decodeSubscribe(frame);
    const refused: string[] = [];
    const granted = filters.map(({ topic, qos }) => {
      const subject = ownSubject(device.deviceId, topic);
      if (subject === null || !isDownSubject(subject)) {
        refused.push(topic);
        return SUBSCRIPTION_REFUSED;
      }
      const grantedQos = qos === 0 ? 0 : 1;
      session.granted.set(subject, grantedQos);
      return grantedQos;
    });
    connection.write(suback(packetId, granted));
    const [first] = refused;
    if (first !== undefined) {
      const reason = `${refused.length} topic filters refused, the first is ${printable(first, EXCERPT_CHARACTERS_MAX)}`;
      const { deviceId } = device;
      const { remoteAddress } = connection;
      handler.observed({ kind: 'subscription_refused', deviceId, remoteAddress, reason });
    }
    this.announceSubscriptions();
  }

  #unsubscribe(frame: Frame): void {
    const { connection, device, session, handler } = this.parts;
    const { packetId, topics } = decodeUnsubscribe(frame);
    for (const topic of topics) {
      const subject = ownSubject(device.deviceId, topic);
      if (subject === null || !isDownSubject(subject)) continue;
      session.granted.delete(subject);
      this.#announced.delete(subject);
      if (subject === 'command') handler.unreachable(device);
    }
    connection.write(unsuback(packetId));
  }
}

const flushInTurn = (connection: Connection, flush: () => void): void => connection.acknowledgeInTurn(flush);

/** The unacknowledged messages of one connection; they are dropped with it, and none is sent again. */
class OutboundWindow {
  readonly #keys = new Map<number, string | null>();
  readonly #inFlight = new Set<string>();
  #lastId = 0;

  get size(): number {
    return this.#keys.size;
  }

  isInFlight(repeatKey: string | null): boolean {
    return repeatKey !== null && this.#inFlight.has(repeatKey);
  }

  /** Returns a packet identifier that no unacknowledged message uses. */
  begin(repeatKey: string | null): number {
    do this.#lastId = (this.#lastId % PACKET_ID_MAX) + 1;
    while (this.#keys.has(this.#lastId));
    this.#keys.set(this.#lastId, repeatKey);
    this.hold(repeatKey);
    return this.#lastId;
  }

  /** Ignores an unused identifier, because a device may acknowledge a message of an earlier connection. */
  acknowledge(packetId: number): void {
    this.release(this.#keys.get(packetId) ?? null);
    this.#keys.delete(packetId);
  }

  /** A QoS 0 message has no acknowledgement, so it counts as in flight until its bytes have left the buffer. */
  hold(repeatKey: string | null): void {
    if (repeatKey !== null) this.#inFlight.add(repeatKey);
  }

  release(repeatKey: string | null): void {
    if (repeatKey !== null) this.#inFlight.delete(repeatKey);
  }
}
