/** The API server's authorizers put together: superusers, then those of the configured modes in their order. */
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import type { Registry } from '../../../base/metrics.ts';
import type { Authorizer, ObjectReader, UserInfo } from '../contracts.ts';
import { parseRoles } from '../bootstrap/rbac-text.ts';
import { CLUSTER_ROLE_TEXT } from '../bootstrap/cluster-roles.ts';
import { AuthorizerMetrics } from '../metrics/authorizer-metrics.ts';
import { Remote } from '../webhook/remote.ts';
import { authorizerChain } from './chain.ts';
import type { AuthorizerOptions } from './configuration.ts';
import { always } from './always.ts';
import { NodeAuthorizer } from './node.ts';
import { NodeGraph } from './node-graph.ts';
import { RbacIndex } from './rbac-index.ts';
import { RbacAuthorizer } from './rbac.ts';
import { WebhookAuthorizer } from './webhook.ts';

export interface Authorization extends Disposable {
	readonly authorizer: Authorizer;
	readonly rbac: RbacAuthorizer;
	/** Why authorizers beside the roles' cannot list what they allow the user. */
	unlisted(user: UserInfo): readonly string[];
}

/** What a cluster has unless told. */
export const DEFAULT_MODES: readonly AuthorizerOptions[] = [{ type: 'Node' }, { type: 'RBAC' }];

/** Reads all roles, bindings and pods once and then follows their changes. */
export function createAuthorization(
	objects: ObjectReader,
	modes: readonly AuthorizerOptions[],
	{ clock, log, metrics }: { readonly clock: Clock; readonly log: Log; readonly metrics?: Registry | undefined },
): Authorization {
	const counts = metrics === undefined ? undefined : new AuthorizerMetrics(metrics);
	const owned = new DisposableStack();
	const rbac = new RbacAuthorizer(owned.use(new RbacIndex(objects)));
	const made = (mode: AuthorizerOptions): Authorizer => {
		switch (mode.type) {
			case 'Node': {
				const rules = parseRoles(CLUSTER_ROLE_TEXT).find((role) => role.metadata.name === 'system:node')?.rules ?? [];
				return new NodeAuthorizer(owned.use(new NodeGraph(objects)), rules);
			}
			case 'RBAC':
				return rbac;
			case 'AlwaysAllow':
				return always(true);
			case 'AlwaysDeny':
				return always(false);
			case 'Webhook': {
				const remote = owned.use(new Remote(mode.webhook.target, clock));
				return new WebhookAuthorizer(mode.webhook, remote, clock, log, counts?.webhook(mode.name));
			}
		}
	};
	return {
		authorizer: authorizerChain(modes.map((mode) => counts?.counted(mode.type, nameOf(mode), made(mode)) ?? made(mode))),
		rbac,
		unlisted: (user) =>
			modes.flatMap(({ type }) => {
				if (type === 'Webhook') return ['webhook authorizer does not support user rule resolution'];
				return type === 'Node' && isNode(user) ? ['node authorizer does not support user rule resolution'] : [];
			}),
		[Symbol.dispose]: () => owned.dispose(),
	};
}

/** Those that have no name are called after their type. */
function nameOf(mode: AuthorizerOptions): string {
	return mode.type === 'Webhook' ? mode.name : mode.type.toLowerCase();
}

function isNode({ name, groups }: UserInfo): boolean {
	return name.startsWith('system:node:') && groups.includes('system:nodes');
}
