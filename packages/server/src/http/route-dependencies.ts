import type { GroupName } from '@granary/contract/endpoints/declaration/groups';
import type { FastifyInstance } from 'fastify';
import type { RequestMetrics } from '../process/metrics/request-metrics.ts';
import type { Settings } from '../process/settings.ts';
import type { AccessChecks } from './access/auth.ts';
import type { ConnectionLimits } from './access/connection-limits.ts';
import type { PasswordChecks } from './access/password-checks.ts';
import type { RequestTurns } from './access/request-turns.ts';
import type { ServerParts } from './server-parts.ts';
import type { IdentityProvider } from './sign-on/identity-provider.ts';

/** Everything that routes may use. */
interface RouteDependencies extends ServerParts {
  readonly checks: AccessChecks & { readonly passwords: PasswordChecks };
  /** `null`: people can sign in only at this service itself. */
  readonly provider: IdentityProvider | null;
  readonly figures: {
    readonly requests: RequestMetrics;
    readonly connections: ConnectionLimits;
    readonly turns: Pick<RequestTurns, 'figures'>;
  };
}

/** The parts that the routes of a slice use. */
export type Parts<Name extends keyof RouteDependencies> = Pick<RouteDependencies, Name>;

export type AddRoutes = (routes: FastifyInstance, parts: RouteDependencies) => void;

/** The routes of a slice, below the root of a group. */
export interface SliceRoutes {
  readonly root: GroupName;
  readonly add: AddRoutes;
  /** Without this function the routes are always there. */
  readonly isOn?: (settings: Settings) => boolean;
  /** True when the routes need no key and no session. */
  readonly isOpen?: boolean;
}
