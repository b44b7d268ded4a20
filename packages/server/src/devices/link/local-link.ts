import type { Duplex } from 'node:stream';
import type { EmbeddedBroker } from '@granary/link/broker/broker';
import type {
  BrokerAddresses,
  CommandOptions,
  Delivery,
  LinkConfiguration,
  LinkStatistics,
} from '@granary/link/port';
import type { CertificatePair } from '@granary/link/tls';
import type { LinkMember, MemberFigures } from './link-member.ts';

/** The part of the device link that is in this thread. */
export class LocalLink implements LinkMember {
  readonly #broker: EmbeddedBroker;

  constructor(broker: EmbeddedBroker) {
    this.#broker = broker;
  }

  get isListening(): boolean {
    return this.#broker.isListening;
  }

  get connectedCount(): number {
    return this.#broker.connectedCount;
  }

  start(): Promise<BrokerAddresses> {
    return this.#broker.start();
  }

  stop(): Promise<void> {
    return this.#broker.stop();
  }

  accept(stream: Duplex, remoteAddress: string): () => void {
    return this.#broker.accept(stream, remoteAddress);
  }

  useCertificate(certificate: CertificatePair): void {
    this.#broker.useCertificate(certificate);
  }

  sendCommand(deviceId: string, command: object, options: CommandOptions): Promise<Delivery> {
    return Promise.resolve(this.#broker.sendCommand(deviceId, command, options));
  }

  sendConfiguration(deviceId: string, configuration: LinkConfiguration): void {
    this.#broker.sendConfiguration(deviceId, configuration);
  }

  isReachable(deviceId: string): boolean {
    return this.#broker.isReachable(deviceId);
  }

  isConnected(deviceId: string): boolean {
    return this.#broker.isConnected(deviceId);
  }

  linkStatistics(deviceId: string): Promise<LinkStatistics> {
    return Promise.resolve(this.#broker.linkStatistics(deviceId));
  }

  disconnect(deviceId: string): void {
    this.#broker.disconnect(deviceId);
  }

  release(deviceId: string, remoteAddress: string): Promise<boolean> {
    return Promise.resolve(this.#broker.release(deviceId, remoteAddress));
  }

  forgetSensors(): void {
    // The cache of this thread has forgotten them already.
  }

  figures(): Promise<MemberFigures> {
    const { openCount, totals } = this.#broker;
    return Promise.resolve({ openCount, totals, ingest: null, writes: null });
  }
}
