/** The API server's authorizers put together: superusers, then those of the configured modes in their order. */
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import { AppError } from '../../../base/errors.ts';
import type { Registry } from '../../../base/metrics.ts';
import type { Authorizer, ObjectReader, UserInfo } from '../contracts.ts';
import { parseRoles } from '../bootstrap/rbac-text.ts';
import { CLUSTER_ROLE_TEXT } from '../bootstrap/cluster-roles.ts';
import { AuthorizerMetrics } from '../metrics/authorizer-metrics.ts';
import { Remote } from '../webhook/remote.ts';
import { authorizerChain } from './chain.ts';
import type { AuthorizerOptions } from './configuration.ts';
import { abac } from './abac.ts';
import { always } from './always.ts';
import { NodeAuthorizer } from './node.ts';
import { NodeGraph } from './node-graph.ts';
import { RbacIndex } from './rbac-index.ts';
import { RbacAuthorizer } from './rbac.ts';
import { ruleList, type RuleList } from './rule-list.ts';
import { WebhookAuthorizer } from './webhook.ts';

export interface Authorization extends Disposable {
	readonly authorizer: Authorizer;
	readonly rbac: RbacAuthorizer;
	/** What can be listed of what the user may do in a namespace. */
	rulesFor(user: UserInfo, namespace: string): RuleList;
	/** Asks these from now on. AppError FailedPrecondition: one of them must have been there from the start. */
	reload(modes: readonly AuthorizerOptions[]): void;
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
	// What follows objects of the cluster is made once: it is costly, and takes its time.
	const nodeRules = parseRoles(CLUSTER_ROLE_TEXT).find((role) => role.metadata.name === 'system:node')?.rules ?? [];
	const hasNode = modes.some(({ type }) => type === 'Node');
	const lasting: Readonly<Partial<Record<AuthorizerOptions['type'], Authorizer>>> = {
		...(hasNode ? { Node: new NodeAuthorizer(owned.use(new NodeGraph(objects)), nodeRules) } : {}),
		...(modes.some(({ type }) => type === 'RBAC') ? { RBAC: rbac } : {}),
	};
	const made = (mode: AuthorizerOptions, remotes: DisposableStack): Authorizer => {
		switch (mode.type) {
			case 'Node':
			case 'RBAC': {
				const found = lasting[mode.type];
				if (found !== undefined) return found;
				throw new AppError(
					'FailedPrecondition',
					`authorizer type ${mode.type} is not allowed if it was not enabled at initial server startup`,
				);
			}
			case 'ABAC':
				return abac(mode.policies);
			case 'AlwaysAllow':
				return always(true);
			case 'AlwaysDeny':
				return always(false);
			case 'Webhook': {
				const remote = remotes.use(new Remote(mode.webhook.target, clock));
				return new WebhookAuthorizer(mode.webhook, remote, clock, log, counts?.webhook(mode.name));
			}
		}
	};
	const chained = (wanted: readonly AuthorizerOptions[]): Current => {
		using remotes = new DisposableStack();
		const all = wanted.map((mode) => {
			const one = made(mode, remotes);
			return counts?.counted(mode.type, nameOf(mode), one) ?? one;
		});
		return { modes: wanted, chain: authorizerChain(all), remotes: remotes.move() };
	};
	let current = chained(modes);
	return {
		authorizer: {
			authorize: (attributes, signal) => current.chain.authorize(attributes, signal),
			get decide() {
				return current.chain.decide as NonNullable<Authorizer['decide']>;
			},
		},
		rbac,
		rulesFor: (user, namespace) => ruleList(current.modes, rbac, user, namespace),
		reload(wanted) {
			const next = chained(wanted);
			const former = current;
			current = next;
			former.remotes.dispose();
		},
		[Symbol.dispose]() {
			current.remotes.dispose();
			owned.dispose();
		},
	};
}

interface Current {
	readonly modes: readonly AuthorizerOptions[];
	readonly chain: Authorizer;
	/** Connections of its webhooks. */
	readonly remotes: DisposableStack;
}

/** Those that have no name are called after their type. */
function nameOf(mode: AuthorizerOptions): string {
	return mode.type === 'Webhook' ? mode.name : mode.type.toLowerCase();
}
