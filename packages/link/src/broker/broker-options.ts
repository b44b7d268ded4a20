import type { LinkLimits } from '../limits.ts';
import type { SharedReadingOptions } from '../session/shared-reading.ts';
import type { CertificatePair } from '../tls.ts';

export interface BrokerOptions extends SharedReadingOptions {
  readonly limits?: LinkLimits;
  /** For the encrypted port. */
  readonly certificate?: CertificatePair | null;
  /** The clock for the expiry of commands. */
  readonly now?: () => number;
  /** Several threads accept connections on the same port. */
  readonly sharesPorts?: boolean;
}
