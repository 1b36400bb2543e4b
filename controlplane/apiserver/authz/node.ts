/** The node authorizer: a kubelet reads only what the pods bound to its node need (upstream plugin/pkg/auth/authorizer/node, its words included). */
import type { PolicyRule } from '../../../api/gen/types.ts';
import type { Attributes, Authorizer, Decision, UserInfo } from '../contracts.ts';
import type { Needed, NodeGraph } from './node-graph.ts';
import { ruleAllows } from './rules.ts';

type ResourceAttributes = Attributes & { readonly type: 'resource' };

const LEASE_NAMESPACE = 'kube-node-lease';
const NODE_USER = 'system:node:';

/** The node's name, when the user is a kubelet. */
export function nodeOf(user: UserInfo): string | undefined {
	return user.name.startsWith(NODE_USER) && user.groups.includes('system:nodes') ? user.name.slice(NODE_USER.length) : undefined;
}

export class NodeAuthorizer implements Authorizer {
	readonly #graph: NodeGraph;
	readonly #rules: readonly PolicyRule[];

	/** @param rules what any kubelet may do to resources that are not checked one by one: the rules of system:node */
	constructor(graph: NodeGraph, rules: readonly PolicyRule[]) {
		this.#graph = graph;
		this.#rules = rules;
	}

	authorize(asked: Attributes): Promise<Decision> {
		return Promise.resolve(this.decide(asked));
	}

	decide(asked: Attributes): Decision {
		const node = nodeOf(asked.user);
		if (node === undefined) return NO_OPINION;
		if (node === '') return no(`unknown node for user ${JSON.stringify(asked.user.name)}`);
		if (asked.type === 'resource') {
			const decision = this.#checked(node, asked);
			if (decision !== undefined) return decision;
		}
		return this.#byRules(asked);
	}

	#byRules(asked: Attributes): Decision {
		return this.#rules.some((rule) => ruleAllows(rule, asked)) ? YES : NO_OPINION;
	}

	/** The decision on resources that are checked one by one; undefined for all others. */
	#checked(node: string, asked: ResourceAttributes): Decision | undefined {
		switch (`${asked.group}/${asked.resource}`) {
			case '/secrets':
			case '/configmaps':
				return this.#read(node, asked);
			case '/persistentvolumeclaims':
				return asked.subresource === 'status' ? this.#statusUpdate(node, asked) : this.#get(node, asked);
			case '/persistentvolumes':
			case 'resource.k8s.io/resourceclaims':
			case 'storage.k8s.io/volumeattachments':
				return this.#get(node, asked);
			case '/serviceaccounts':
				return asked.subresource === '' && asked.verb === 'get' ? this.#related(node, asked) : this.#createToken(node, asked);
			case 'coordination.k8s.io/leases':
				return this.#lease(node, asked);
			case 'storage.k8s.io/csinodes':
				return this.#csiNode(node, asked);
			case '/nodes':
				return this.#node(node, asked);
			case '/pods':
				return this.#pod(node, asked);
			case 'resource.k8s.io/resourceslices':
				return this.#slice(node, asked);
			default:
				return undefined;
		}
	}

	#related(node: string, asked: ResourceAttributes): Decision {
		return ifNamed(asked, () => (this.#graph.needs(node, asked.resource as Needed, asked.namespace, asked.name) ? YES : unrelated(node)));
	}

	#get(node: string, asked: ResourceAttributes): Decision {
		if (asked.verb !== 'get') return no('can only get individual resources of this type');
		if (asked.subresource !== '') return no('cannot get subresource');
		return this.#related(node, asked);
	}

	#read(node: string, asked: ResourceAttributes): Decision {
		if (!['get', 'list', 'watch'].includes(asked.verb)) return no('can only read resources of this type');
		if (asked.subresource !== '') return no('cannot read subresource');
		if (asked.namespace === '') return no('can only read namespaced object of this type');
		return this.#related(node, asked);
	}

	#statusUpdate(node: string, asked: ResourceAttributes): Decision {
		if (!['update', 'patch'].includes(asked.verb)) return no('can only get/update/patch this type');
		return this.#related(node, asked);
	}

	#createToken(node: string, asked: ResourceAttributes): Decision {
		if (asked.verb !== 'create' || asked.name === '') return no('can only create tokens for individual service accounts');
		if (asked.subresource !== 'token') return no('can only create token subresource of serviceaccount');
		return this.#related(node, asked);
	}

	#lease(node: string, asked: ResourceAttributes): Decision {
		if (!['get', 'create', 'update', 'patch', 'delete'].includes(asked.verb))
			return no('can only get, create, update, patch, or delete a node lease');
		if (asked.namespace !== LEASE_NAMESPACE) return no(`can only access leases in the "${LEASE_NAMESPACE}" system namespace`);
		if (asked.verb !== 'create' && asked.name !== node) return no('can only access node lease with the same name as the requesting node');
		return YES;
	}

	#csiNode(node: string, asked: ResourceAttributes): Decision {
		if (asked.subresource !== '') return no('cannot authorize CSINode subresources');
		if (!['get', 'create', 'update', 'patch', 'delete'].includes(asked.verb))
			return no('can only get, create, update, patch, or delete a CSINode');
		if (asked.verb !== 'create' && asked.name !== node) return no('can only access CSINode with the same name as the requesting node');
		return YES;
	}

	/** What it writes is looked at by NodeRestriction. */
	#pod(node: string, asked: ResourceAttributes): Decision {
		const { verb, subresource, name } = asked;
		const own = (): Decision => ifNamed(asked, () => (this.#graph.hasPod(node, `${asked.namespace}/${name}`) ? YES : unrelated(node)));
		switch (subresource) {
			case '':
				if (verb === 'get') return own();
				if (verb === 'create' || verb === 'delete') return YES;
				if (verb !== 'list' && verb !== 'watch') return NO_OPINION;
				if (asked.pinned?.['spec.nodeName'] === node) return YES;
				return name === '' ? no('can only list/watch pods with spec.nodeName field selector') : own();
			case 'status':
				return verb === 'update' || verb === 'patch' ? YES : NO_OPINION;
			case 'eviction':
				return verb === 'create' ? YES : NO_OPINION;
			default:
				return NO_OPINION;
		}
	}

	#slice(node: string, asked: ResourceAttributes): Decision {
		if (asked.subresource !== '') return no('cannot authorize ResourceSlice subresources');
		switch (asked.verb) {
			case 'create':
				return YES;
			case 'get':
			case 'update':
			case 'patch':
			case 'delete':
				return this.#related(node, asked);
			case 'watch':
			case 'list':
			case 'deletecollection':
				return asked.pinned?.['spec.nodeName'] === node || asked.pinned?.['nodeName'] === node
					? YES
					: no('can only list/watch/deletecollection resourceslices with nodeName field selector');
			default:
				return no(
					'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
				);
		}
	}

	#node(node: string, asked: ResourceAttributes): Decision {
		const { verb, subresource } = asked;
		if (subresource === 'status') return verb === 'update' || verb === 'patch' ? YES : NO_OPINION;
		if (subresource !== '') return NO_OPINION;
		if (['create', 'update', 'patch'].includes(verb)) return YES;
		if (!['get', 'list', 'watch'].includes(verb)) return NO_OPINION;
		if (asked.name === node) return YES;
		const what = asked.name === '' ? 'all nodes' : `'${asked.name}'`;
		return no(`node '${node}' cannot read ${what}, only its own Node object`);
	}
}

const YES: Decision = { allowed: true, denied: false, reason: '' };
const NO_OPINION: Decision = { allowed: false, denied: false, reason: '' };

function no(reason: string): Decision {
	return { allowed: false, denied: false, reason };
}

/** Reviews may ask without a name. */
function ifNamed({ name }: ResourceAttributes, decide: () => Decision): Decision {
	return name === '' ? no('No Object name found') : decide();
}

function unrelated(node: string): Decision {
	return no(`no relationship found between node '${node}' and this object`);
}
