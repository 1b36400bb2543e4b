/** The API server's authorizers put together: superusers, then kubelets by what their pods need, then roles. */
import type { Authorizer, ObjectReader } from '../contracts.ts';
import { parseRoles } from '../bootstrap/rbac-text.ts';
import { CLUSTER_ROLE_TEXT } from '../bootstrap/cluster-roles.ts';
import { authorizerChain } from './chain.ts';
import { NodeAuthorizer } from './node.ts';
import { NodeGraph } from './node-graph.ts';
import { RbacIndex } from './rbac-index.ts';
import { RbacAuthorizer } from './rbac.ts';

export interface Authorization extends Disposable {
	readonly authorizer: Authorizer;
	readonly rbac: RbacAuthorizer;
}

/** Reads all roles, bindings and pods once and then follows their changes. */
export function createAuthorization(objects: ObjectReader): Authorization {
	const index = new RbacIndex(objects);
	const graph = new NodeGraph(objects);
	const rbac = new RbacAuthorizer(index);
	const nodeRules = parseRoles(CLUSTER_ROLE_TEXT).find((role) => role.metadata.name === 'system:node')?.rules ?? [];
	return {
		authorizer: authorizerChain([new NodeAuthorizer(graph, nodeRules), rbac]),
		rbac,
		[Symbol.dispose]: () => {
			index[Symbol.dispose]();
			graph[Symbol.dispose]();
		},
	};
}
