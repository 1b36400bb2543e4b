/**
 * What somebody gets who holds the credentials of one node: what its own pods need, and nothing of another node's. Each fails when its defence is taken
 * out: `npm run soak -- agent-defences`.
 */
import test from 'ava';
import type { Node, Pod, TokenRequest } from '../../api/gen/types.ts';
import { CONFIG_MAPS, CSI_NODES, LEASES, NAMESPACES, NODES, PODS, SECRETS, SERVICE_ACCOUNTS } from '../../api/resources.ts';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import type { Client } from '../../client/client.ts';
import { createClient } from '../../client/rest.ts';
import { testApiServer } from '../../test/fakes/api-server.ts';

const stop = new AbortController();
const { server, client: admin, stopped } = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
test.after.always(async () => {
	stop.abort();
	await stopped;
});
const as = (name: string): Client =>
	createClient(server.transport({ name, uid: '', groups: ['system:nodes', 'system:authenticated'], extra: {} }));
const mine = as('system:node:mine');

/** Of pods, and of nodes as `node NAME`. On each of two nodes a pod with an account, a Secret and a ConfigMap. */
const uids = new Map<string, string>();
test.before(async () => {
	await admin.create(NAMESPACES, { metadata: { name: 'n' } });
	await admin.create(SECRETS, { metadata: { namespace: 'n', name: 'of-nobody' } });
	for (const node of ['mine', 'other']) {
		const metadata = { namespace: 'n', name: node };
		uids.set(`node ${node}`, (await admin.create<Node>(NODES, { metadata: { name: node } })).metadata.uid ?? '');
		await admin.create(SERVICE_ACCOUNTS, { metadata });
		await admin.create(SECRETS, { metadata, data: { word: 'eA==' } });
		await admin.create(CONFIG_MAPS, { metadata, data: { word: 'x' } });
		await admin.create(CSI_NODES, { metadata: { name: node }, spec: { drivers: [] } });
		const { metadata: made } = await admin.create<Pod>(PODS, {
			metadata,
			spec: {
				nodeName: node,
				serviceAccountName: node,
				containers: [{ name: 'c', image: 'i' }],
				volumes: [
					{ name: 's', secret: { secretName: node } },
					{ name: 'm', configMap: { name: node } },
				],
			},
		});
		uids.set(node, made.uid ?? '');
	}
});

const token = (account: string, pod: string): Promise<unknown> =>
	mine.create<never, TokenRequest>(
		SERVICE_ACCOUNTS as never,
		{
			metadata: {},
			spec: { audiences: [], boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod, uid: uids.get(pod) ?? '' } },
		} as never,
		{ subresource: 'token', key: `n/${account}` },
	);
const status = { phase: 'Failed' };

for (const [what, attempt] of [
	['Secrets of no pod of the node', () => mine.get(SECRETS, 'n/of-nobody')],
	['all Secrets of a namespace', () => mine.list(SECRETS, { namespace: 'n' })],
	['all Secrets', () => mine.list(SECRETS)],
	['all pods', () => mine.list(PODS)],
	['an account of another node for a pod of its own', () => token('other', 'mine')],
	['a pod of another node for an account of its own', () => token('mine', 'other')],
	[
		'a pod that is no mirror',
		() => mine.create<Pod>(PODS, { ...mirror('mine'), metadata: { ...mirror('mine').metadata, annotations: {} } }),
	],
	['a pod that mounts a Secret', () => mine.create<Pod>(PODS, withSecret(mirror('mine')))],
	[
		'taints for administrators',
		() => mine.patch(NODES, 'mine', { type: 'merge', body: { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } } }),
	],
	[
		'labels for administrators',
		() => mine.patch(NODES, 'mine', { type: 'merge', body: { metadata: { labels: { 'node-restriction.kubernetes.io/a': 'b' } } } }),
	],
	['nodes without a name', () => as('system:node:').get(NODES, 'mine')],
] as readonly (readonly [string, () => Promise<unknown>])[])
	test.serial(`the credentials of a node do not reach ${what}`, (t) =>
		t.throwsAsync(attempt(), { code: 'PermissionDenied' }).then(() => {}),
	);

for (const [what, attempt] of [
	['reads its Secret', (node) => mine.get(SECRETS, `n/${node}`)],
	['lists its Secret', (node) => mine.list(SECRETS, { namespace: 'n', fieldSelector: `metadata.name=${node}` })],
	['reads its ConfigMap', (node) => mine.get(CONFIG_MAPS, `n/${node}`)],
	['reads its pod', (node) => mine.get(PODS, `n/${node}`)],
	['lists its pods', (node) => mine.list(PODS, { fieldSelector: `spec.nodeName=${node}` })],
	['reads the Node', (node) => mine.get(NODES, node)],
	['makes a token for its pod', (node) => token(node, node)],
	[
		'writes the status of its pod',
		(node) => mine.patch(PODS, `n/${node}`, { type: 'strategic', body: { status } }, { subresource: 'status' }),
	],
	['labels the Node', (node) => mine.patch(NODES, node, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } })],
	['writes the status of the Node', (node) => mine.patch(NODES, node, { type: 'merge', body: { status: {} } }, { subresource: 'status' })],
	['changes its CSINode', (node) => mine.patch(CSI_NODES, node, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } })],
	['makes its lease', (node) => mine.create(LEASES, { metadata: { namespace: 'kube-node-lease', name: node } })],
	['makes a mirror pod on it', (node) => mine.create<Pod>(PODS, mirror(node))],
	['deletes its pod', (node) => mine.delete(PODS, `n/${node}`)],
] as readonly (readonly [string, (node: string) => Promise<unknown>])[])
	test.serial(`with the credentials of a node one ${what}, and with another node's one does not`, async (t) => {
		await t.throwsAsync(attempt('other'), { code: 'PermissionDenied' });
		await t.notThrowsAsync(attempt('mine'));
	});

function mirror(nodeName: string): Pod {
	const owner = { apiVersion: 'v1', kind: 'Node', name: 'mine', uid: uids.get('node mine') ?? '', controller: true };
	return {
		metadata: { namespace: 'n', name: `static-${nodeName}`, annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences: [owner] },
		spec: { nodeName, containers: [{ name: 'c', image: 'i' }] },
	};
}

function withSecret(pod: Pod): Pod {
	return { ...pod, spec: { ...pod.spec, containers: [], volumes: [{ name: 's', secret: { secretName: 'other' } }] } };
}
