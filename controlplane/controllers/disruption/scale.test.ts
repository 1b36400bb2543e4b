import test from 'ava';
import type { Pod } from '../../../api/gen/types.ts';
import { apiVersionOf, type Resource } from '../../../api/resource.ts';
import { DEPLOYMENTS, REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS } from '../../../api/resources.ts';
import type { Client } from '../../../client/client.ts';
import type { Informers } from '../../../client/informers.ts';
import { Scales } from './scale.ts';

const CUSTOM: Resource = { group: 'x.io', version: 'v1', kind: 'Custom', plural: 'customs', namespaced: true, subresources: ['scale'] };

const informers = { get: () => ({ lister: { get: () => undefined } }) } as unknown as Informers;

function podOf(resource: Resource, name: string): Pod {
	const owner = { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid: name, controller: true };
	return { metadata: { namespace: 'n', name: `of-${name}`, ownerReferences: [owner] } };
}

/** Serves Customs by discovery, and a scale of 2 for everything. */
function served(asked: string[]): Client {
	const subresources = [{ subresource: 'scale' }];
	const customs = { resource: 'customs', responseKind: { kind: 'Custom' }, scope: 'Namespaced', verbs: [], subresources };
	const group = { metadata: { name: 'x.io' }, versions: [{ version: 'v1', resources: [customs] }] };
	const lists: Record<string, object> = { '/api': { items: [] }, '/apis': { items: [group] } };
	return {
		get: ({ plural }: Resource, key: string, { subresource }: { subresource: string }) => {
			asked.push(`${plural}/${key}/${subresource}`);
			return Promise.resolve({ metadata: { uid: key.slice('n/'.length) }, spec: { replicas: 2 } });
		},
		transport: {
			request: ({ path }: { path: string }) => {
				asked.push(path);
				const body = (async function* () {
					yield Buffer.from(JSON.stringify(lists[path]));
				})();
				return Promise.resolve({ status: 200, headers: {}, warnings: [], body });
			},
		},
	} as unknown as Client;
}

for (const [name, pods, want] of [
	[
		'built-in owners that informers lack are asked at once',
		[
			...[podOf(REPLICA_SETS, 'a'), podOf(STATEFUL_SETS, 'b')],
			...[podOf(REPLICATION_CONTROLLERS, 'c'), podOf(DEPLOYMENTS, 'd'), podOf(DEPLOYMENTS, 'd')],
		],
		['replicasets/n/a/scale', 'statefulsets/n/b/scale', 'replicationcontrollers/n/c/scale', 'deployments/n/d/scale'],
	],
	[
		'others are discovered, once for all',
		[podOf(CUSTOM, 'a'), podOf(REPLICA_SETS, 'b'), podOf(CUSTOM, 'c')],
		['/api', '/apis', 'customs/n/a/scale', 'replicasets/n/b/scale', 'customs/n/c/scale'],
	],
] as const)
	test(`Scales: ${name}`, async (t) => {
		const asked: string[] = [];
		const { scale, unmanaged } = await new Scales(served(asked), informers).of(pods, new AbortController().signal);
		t.is(scale, 2 * new Set(pods.map(({ metadata }) => metadata.name)).size);
		t.deepEqual(unmanaged, []);
		t.deepEqual(asked, want);
	});
