import type { RequestMetrics } from '../process/metrics/request-metrics.ts';
import type { AccessChecks } from './access/auth.ts';
import type { ConnectionLimits } from './access/connection-limits.ts';
import type { PasswordChecks } from './access/password-checks.ts';
import type { RequestTurns } from './access/request-turns.ts';
import type { ServerParts } from './server-parts.ts';
import type { IdentityProvider } from './sign-on/identity-provider.ts';

/** Everything that routes may use; each route takes the parts it needs. */
export interface RouteDependencies extends ServerParts {
  readonly checks: AccessChecks & { readonly passwords: PasswordChecks };
  /** `null`: people can sign in only at this service itself. */
  readonly provider: IdentityProvider | null;
  readonly figures: {
    readonly requests: RequestMetrics;
    readonly connections: ConnectionLimits;
    readonly turns: Pick<RequestTurns, 'figures'>;
  };
}
